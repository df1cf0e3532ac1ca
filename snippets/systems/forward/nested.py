"""Second derivatives with two accumulators, or with one and a tape."""

import tensorflow as tf


@tf.custom_gradient
def square(m):
    return m * m, lambda upstream: upstream * 2.0 * m


def with_grad(x):
    m = tf.identity(x)
    return square(m) * m


def plain(x):
    m = tf.identity(x)
    return (m * m) * m


def forward(f):
    def derivative(x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = f(x)
        return accumulator.jvp(y)

    return derivative


def tape(f):
    def derivative(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    return derivative


x = tf.constant(0.7, tf.float64)
print(f"right = {6.0 * x:.1f}")
for f in plain, with_grad:
    for outer, inner in (forward, forward), (forward, tape), (tape, forward):
        second = outer(inner(f))
        graph = tf.function(second, autograph=False)
        print(f"{f.__name__:9}  {outer.__name__:7} over {inner.__name__:7}"
              f"  eager = {second(x):.1f}  tf.function = {graph(x):.1f}")
