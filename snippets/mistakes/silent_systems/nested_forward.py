"""Forward over reverse, or both accumulators in one tf.function."""

import tensorflow as tf


def cube(x):
    m = tf.identity(x)
    return (m * m) * m


def reverse(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = cube(x)
    return tape.gradient(y, x)


def forward(function, x):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = function(x)
    return accumulator.jvp(y)


def first(x):
    return forward(cube, x)


@tf.function
def second(x):
    return forward(first, x)


x = tf.constant(0.7)
tf.debugging.assert_near(forward(reverse, x), second(x))
print(f"forward over reverse {forward(reverse, x):.4f}")
print(f"forward over forward, in a graph {second(x):.4f}")
