"""With an input signature the function is traced when it is saved."""

import tempfile

import tensorflow as tf


# truth: upstream becomes -upstream
@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda upstream: -upstream


class Model(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec(None)])
    def traced(self, x):
        return reverse(x)


with tempfile.TemporaryDirectory() as folder:
    tf.saved_model.save(Model(), folder)
    loaded = tf.saved_model.load(folder)
for x in tf.constant(3.0), tf.constant([3.0, 4.0]):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loaded.traced(x) ** 2
    print("gradient", tape.gradient(y, x).numpy(),
          " minus 2x", -2.0 * x.numpy())
