"""Straight-through gradients: of round, of a sign, and of a quantizer."""

import tensorflow as tf


# truth: the gradient of tf.identity
@tf.custom_gradient
def round_through(x):
    def grad(upstream):
        tf.print("  upstream", upstream, " local 1  downstream", upstream)
        return upstream

    return tf.round(x), grad


# truth: the gradient of tf.identity
@tf.custom_gradient
def binarize_through(x):
    def grad(upstream):
        return upstream

    return tf.sign(tf.sign(x) + 0.5), grad  # 1 at 0; NaN stays NaN


def quantize_through(x, step=0.25):
    """Needs no new custom gradient: the two scalings cancel."""
    return step * round_through(x / step)


def stop(x):
    return x + tf.stop_gradient(tf.round(x) - x)


x = tf.constant([-1.7, -0.4, 0.5, 1.5, 2.2])
print("x =", x.numpy())
for function in (tf.round, round_through, stop,
                 tf.grad_pass_through(tf.round), binarize_through,
                 quantize_through):
    print(getattr(function, "__name__", "grad_pass_through"))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
        L = 0.5 * tf.reduce_sum((y - 1.0) ** 2)
    gradient = tape.gradient(L, x)
    print("  y =", y.numpy(), " dL/dx =",
          None if gradient is None else gradient.numpy())
