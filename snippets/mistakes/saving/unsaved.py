"""A model is saved with its gradient functions, and differentiated twice."""

import subprocess
import sys
import tempfile

import tensorflow as tf


# truth: upstream becomes -upstream
@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda upstream: -upstream


class Model(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([])])
    def reverse(self, x):
        return reverse(x)


DIFFERENTIATE = """
x = tf.constant(start)
with tf.GradientTape() as outer:
    outer.watch(x)
    with tf.GradientTape() as inner:
        inner.watch(x)
        y = model.reverse(x) ** 2
    first = inner.gradient(y, x)
print("first", first.numpy(), " second", outer.gradient(first, x).numpy())
"""
model, start = Model(), 3.0
exec(DIFFERENTIATE)
with tempfile.TemporaryDirectory() as folder:
    tf.saved_model.save(model, folder)
    load = "import tensorflow as tf\n" + (
        f"model, start = tf.saved_model.load({folder!r}), {start}\n")
    ran = subprocess.run(
        [sys.executable, "-c", load + DIFFERENTIATE],
        capture_output=True, text=True)
print(ran.stdout.strip(), " in another process")
