"""A test: the penalty of a linear critic is known, and so is its gradient."""

import numpy as np
import tensorflow as tf


def gradient_penalty(critic, points):
    """The mean over examples of (norm of the input gradient - 1)^2."""
    with tf.GradientTape() as tape:
        tape.watch(points)
        scores = critic(points)
    gradients = tape.gradient(scores, points)
    axes = list(range(1, len(points.shape)))
    squares = tf.reduce_sum(tf.square(gradients), axes)
    norms = tf.sqrt(tf.maximum(squares, 1e-12))
    return tf.reduce_mean(tf.square(norms - 1.0))


@tf.function
def penalty_and_gradient(weights, points):
    with tf.GradientTape() as tape:
        tape.watch(weights)
        penalty = gradient_penalty(lambda x: x @ weights, points)
    return penalty, tape.gradient(penalty, weights)


weights = tf.constant([[3.0], [4.0]])  # norm 5
for examples in 1, 7:
    points = tf.random.stateless_normal([examples, 2], seed=[1, 2])
    penalty, gradient = penalty_and_gradient(weights, points)
    print(f"{examples} examples:", penalty.numpy(), gradient[:, 0].numpy())
    np.testing.assert_allclose(penalty, (5.0 - 1.0) ** 2, rtol=1e-6)
    right = 2.0 * (5.0 - 1.0) * weights / 5.0
    np.testing.assert_allclose(gradient, right, rtol=1e-6)
