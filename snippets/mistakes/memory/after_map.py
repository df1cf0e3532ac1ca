"""Reset the caching device that a failed map has left."""

import tensorflow as tf

square = tf.recompute_grad(lambda x: x * x)


@tf.function
def mapped(x):
    return tf.map_fn(lambda row: tf.reshape(row, [3]), x)


try:
    mapped(tf.ones([2, 2]))
except ValueError:
    print("the map failed: its rows have two elements, not three")


def clear():
    scope = tf.compat.v1.get_variable_scope()
    tf.function(lambda: scope.set_caching_device(None))()


clear()

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = square(x)
print("gradient", tape.gradient(y, x).numpy())
