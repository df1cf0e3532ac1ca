"""The surrogate gradient against two independent gradients."""

import tensorflow as tf


# truth: the gradient of tf.sigmoid
@tf.custom_gradient
def sign(x):
    def grad(upstream):
        s = tf.sigmoid(x)
        return upstream * s * (1.0 - s)

    return tf.sign(x), grad


def shifted(x):
    """The value of sign, with the sigmoid's gradient from autodiff."""
    s = tf.sigmoid(x)
    return s + tf.stop_gradient(tf.sign(x) - s)


def loss(y):
    return 0.5 * (y - 2.0) ** 2


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = loss(function(x))
    return tape.gradient(value, x).numpy()


h = 1e-5
print("   x  upstream     custom   autodiff  differences")
for point in (-2.0, 0.0, 0.5, 3.0):
    x = tf.constant(point, tf.float64)
    upstream = tf.sign(x) - 2.0
    slope = (tf.sigmoid(x + h) - tf.sigmoid(x - h)) / (2 * h)
    print(f"{point:4}  {upstream.numpy():8}  {gradient(sign, x):9.6f}"
          f"  {gradient(shifted, x):9.6f}"
          f"    {(upstream * slope).numpy():9.6f}")
