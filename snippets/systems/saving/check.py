"""Loaded models against central differences, first and second order."""

import tempfile

import tensorflow as tf


@tf.custom_gradient
def softplus(x):
    return tf.nn.softplus(x), lambda upstream: upstream * tf.sigmoid(x)


# truth: x.shape == w.shape
@tf.custom_gradient
def product(x, w):
    return x * w, lambda upstream: (upstream * w, upstream * x)


class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable([0.5, -2.0, 3.0], dtype=tf.float64)

    @tf.function(input_signature=[tf.TensorSpec([3], tf.float64)])
    def loss(self, x):
        return tf.reduce_sum(softplus(product(x, self.w)))


def first(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loaded.loss(x)
    return tape.gradient(y, x)


def second(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = first(x)
    return tape.gradient(y, x)


def differences(function, x, h=1e-5):
    moved = h * tf.eye(3, dtype=x.dtype)
    return tf.stack([tf.reduce_sum(function(x + d) - function(x - d)) / (2 * h)
                     for d in moved])


with tempfile.TemporaryDirectory() as folder:
    tf.saved_model.save(Model(), folder)
    loaded = tf.saved_model.load(folder)
x = tf.constant([1.0, 0.3, -0.2], tf.float64)
print("first      ", first(x).numpy().round(6))
print("differences", differences(loaded.loss, x).numpy().round(6))
print("second     ", second(x).numpy().round(6))
print("differences", differences(first, x).numpy().round(6))
