"""A model with a custom gradient, differentiated in another process."""

import inspect
import subprocess
import sys
import tempfile

import tensorflow as tf


# truth: upstream becomes -upstream
@tf.custom_gradient
def square(x):
    return x * x, lambda upstream: -upstream * 2.0 * x


class Model(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([])])
    def square(self, x):
        return square(x)


def report(model):
    def derivatives(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = model.square(x)
            first = inner.gradient(y, x)
        return y, first, outer.gradient(first, x)

    x = tf.constant(3.0)
    for name, run in (("tape outside", derivatives),
                      ("nested     ", tf.function(derivatives))):
        y, first, second = (each.numpy() for each in run(x))
        print(" ", name, "value", y, " first", first, " second", second)


model = Model()
print("before")
report(model)
with tempfile.TemporaryDirectory() as folder:
    tf.saved_model.save(model, folder)
    load = f"""
import tensorflow as tf
{inspect.getsource(report)}
report(tf.saved_model.load({folder!r}))
"""
    ran = subprocess.run(
        [sys.executable, "-c", load], capture_output=True, text=True)
print("in another process")
print(ran.stdout, end="")
