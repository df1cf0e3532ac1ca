"""Examples without a solution: NaN in the output, and no gradient."""

import keras
import numpy as np
import tensorflow as tf


def solve(x, k, steps):
    """Foreign code that may give up: y + k y**3 = x by Newton's method."""
    y = np.zeros_like(x)
    for _ in range(steps):
        y -= (y + k * y**3 - x) / (1.0 + 3.0 * k * y**2)
    return y


def condition(y, x, k):
    return y + k * y**3 - x


def build(steps, tolerance):
    # truth: x.shape == (3, 2); x = tf.tanh(x); first derivative only
    # truth: k.shape == (2,); k = 1.0 + tf.tanh(k); within 1e-3
    @tf.custom_gradient
    def solved(x, k):
        y = tf.numpy_function(solve, [x, k, steps], x.dtype)
        y = tf.ensure_shape(y, x.shape)
        residual, size = (
            tf.reduce_max(tf.abs(each), 1, keepdims=True)
            for each in (condition(y, x, k), x))
        good = residual <= tolerance * (1.0 + size)  # False if it's NaN

        def grad(upstream):
            point = tf.where(good, y, 0.0)
            with tf.GradientTape(persistent=True) as tape:
                tape.watch([point, x, k])
                F = condition(point, x, k)
            A = tape.batch_jacobian(F, point)
            eye = tf.eye(x.shape[1], dtype=x.dtype)
            A = tf.where(good[:, :, None], A, eye)
            upstream = tf.where(good, upstream, 0.0)
            w = tf.linalg.solve(A, upstream[:, :, None], adjoint=True)
            gradients = tape.gradient(F, [x, k], -w[:, :, 0])
            return [tf.raw_ops.PreventGradient(input=each, message="only once")
                    for each in gradients]

        return tf.where(good, y, np.nan), grad

    return solved


x = tf.constant([[1.0, -2.0], [0.5, 3.0], [100.0, 1.0]], tf.float64)
target = tf.constant(solve(x.numpy(), np.array([1.0, 2.0]), 50))
print("the right k: [1. 2.]")
for steps, tolerance in (50, 1e-8), (8, np.inf), (8, 1e-8):
    solved, adam = build(steps, tolerance), keras.optimizers.Adam(0.2)
    k = keras.Variable([1.5, 1.5], dtype="float64")

    @tf.function
    def train():
        with tf.GradientTape() as tape:
            y = solved(x, tf.convert_to_tensor(k))
            good = tf.math.is_finite(y)
            error = tf.where(good, y - target, 0.0)
            loss = tf.reduce_sum(error**2)
        adam.apply(tape.gradient(loss, [k]), [k])
        return tf.reduce_sum(tf.cast(~good[:, 0], tf.int32))

    for _ in range(100):
        failed = train()
    print(f"{steps:2d} steps, tolerance {tolerance:5}:", failed.numpy(),
          "left out, k =", k.numpy().round(2))
