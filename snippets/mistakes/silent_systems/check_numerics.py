"""The assertion is outside the function that XLA compiles."""

import tensorflow as tf


@tf.function(jit_compile=True)
def compiled(x):
    return tf.math.log(x)


for x in tf.constant([2.0, 1.0]), tf.constant([-1.0, 1.0]):
    try:
        y = tf.debugging.check_numerics(compiled(x), "log of x")
        print(y.numpy())
    except tf.errors.InvalidArgumentError as error:
        print(error.message.split("}} ")[-1].split(" [Op")[0])
