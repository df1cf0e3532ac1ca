"""A plain function that calls the rule can be pickled."""

import pickle

import tensorflow as tf


# truth: upstream becomes -upstream
@tf.custom_gradient
def _reverse(x):
    return tf.identity(x), lambda upstream: -upstream


def reverse(x):
    return _reverse(x)


again = pickle.loads(pickle.dumps(reverse))
x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = again(x)
print("value", y.numpy(), "gradient", tape.gradient(y, x).numpy())
