"""The second derivative of expm, with nested accumulators and nested tapes."""

import tensorflow as tf

a = tf.constant([[0.0, -1.0], [1.0, 0.0]], tf.float64)


def f(t):
    return tf.reduce_sum(tf.linalg.expm(t * tf.eye(2, dtype=t.dtype) + a))


def forward(function, x):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = function(x)
    return accumulator.jvp(y)


def reverse(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


t = tf.constant(0.7, tf.float64)
forwards = forward(lambda t: forward(f, t), t)
reverses = reverse(lambda t: reverse(f, t), t)
right = 2.0 * tf.exp(t) * tf.cos(tf.ones_like(t))
print(f"forward over forward: {forwards:.4g}")
print(f"reverse over reverse: {reverses:.4g}")
print(f"right: {right:.4g}")
