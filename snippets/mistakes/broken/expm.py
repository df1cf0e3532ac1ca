"""The second derivative of expm, forward over forward and reverse."""

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
print("forward over forward:", forward(lambda t: forward(f, t), t).numpy())
print("reverse over reverse:", reverse(lambda t: reverse(f, t), t).numpy())
print("right:", (2.0 * tf.exp(t) * tf.cos(tf.ones_like(t))).numpy())
