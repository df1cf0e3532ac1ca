"""Deliberately wrong: a function that is saved without a signature."""

import tempfile

import tensorflow as tf


# truth: the rule is right; upstream becomes -upstream
@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda upstream: -upstream


class Model(tf.Module):
    def plain(self, x):
        return reverse(x)

    @tf.function
    def untraced(self, x):
        return reverse(x)


model, x = Model(), tf.constant(3.0)
with tempfile.TemporaryDirectory() as folder:
    tf.saved_model.save(model, folder)
    loaded = tf.saved_model.load(folder)
print("value", model.plain(x).numpy())
for name in "plain", "untraced":
    try:
        getattr(loaded, name)(x)
    except (AttributeError, ValueError) as error:
        print(f"{name}: {type(error).__name__}: {error}")
