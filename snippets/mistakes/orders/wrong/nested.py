"""Deliberately wrong: a gradient function calls the decorated function."""

import tensorflow as tf


# truth: the rule is right
@tf.custom_gradient
def exp(x):
    def grad(upstream):
        return upstream * exp(x)

    return tf.exp(x), grad


def derivative(function):
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    return gradient


slope = derivative(exp)


def branch(x):
    return tf.cond(x > 0.0, lambda: exp(x), lambda: exp(x))


def shown(function, x):
    try:
        return f"{function(x):.4f}"
    except Exception as error:
        said = f"{type(error).__name__}: {error}".partition(". Use")[0]
        return said.partition(": in user code")[0].rstrip(": ")


def forward(x):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = graph(x)
    return accumulator.jvp(y)


x, graph = tf.constant(0.5), tf.function(exp)
inside = tf.function(derivative(slope))
print("eager:", shown(derivative(slope), x))
print("tapes inside a tf.function:", shown(inside, x))
outside = derivative(derivative(graph))
print("tapes outside:", shown(outside, x))
print("nested tf.function:", shown(tf.function(outside), x))
print("forward mode outside:", shown(forward, x))
print("first derivative of a branch, tape outside:",
      shown(derivative(tf.function(branch)), x))
