"""The gradient of the loss against two independent computations."""

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


def loss_and_gradient(surrogate, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = 0.5 * (surrogate(x) - 1.0) ** 2
    return loss.numpy(), tape.gradient(loss, x).numpy()


h = 1e-5
print("   x  loss     custom   autodiff  differences")
for point in (-3.0, -1.0, 0.0):
    x = tf.constant(point, tf.float64)
    loss, custom = loss_and_gradient(sign, x)
    _, autodiff = loss_and_gradient(shifted, x)
    held = tf.sign(x) - 1.0
    differences = held * (tf.sigmoid(x + h) - tf.sigmoid(x - h)) / (2 * h)
    print(f"{point:4}  {loss:4}  {custom:9.6f}  {autodiff:9.6f}"
          f"    {differences.numpy():9.6f}")
