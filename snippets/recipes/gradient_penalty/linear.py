"""A test: the penalty of a linear critic is known, and so is its gradient."""

import numpy as np
import tensorflow as tf


def input_gradients(critic, points):
    """The gradient of each score with respect to its own example."""
    with tf.GradientTape() as tape:
        tape.watch(points)
        scores = critic(points, training=True)
    return tape.gradient(scores, points)


def gradient_penalty(critic, points):
    """The mean over examples of (norm of the input gradient - 1)^2."""
    gradients = input_gradients(critic, points)
    axes = list(range(1, len(points.shape)))  # all but the batch
    squares = tf.reduce_sum(tf.square(gradients), axes)
    norms = tf.sqrt(tf.maximum(squares, 1e-12))  # no NaN where it is 0
    return tf.reduce_mean(tf.square(norms - 1.0))


@tf.function
def penalty_and_gradient(weights, points):
    def critic(x, training):
        return tf.tensordot(x, weights, 2)

    with tf.GradientTape() as tape:
        tape.watch(weights)
        penalty = gradient_penalty(critic, points)
    return penalty, tape.gradient(penalty, weights)


weights = tf.constant([[1.0, 2.0], [2.0, 4.0]])  # norm 5
for examples in 1, 7:
    points = tf.random.stateless_normal([examples, 2, 2], seed=[1, 2])
    penalty, gradient = penalty_and_gradient(weights, points)
    print(f"{examples} examples:", penalty.numpy(), *gradient.numpy())
    np.testing.assert_allclose(penalty, (5.0 - 1.0) ** 2, rtol=1e-6)
    right = 2.0 * (5.0 - 1.0) * weights / 5.0
    np.testing.assert_allclose(gradient, right, rtol=1e-6)
