"""Deliberately wrong: a probe whose print is not tied to its output."""

import tensorflow as tf

calls = tf.Variable(0)


# truth: the rule is right
@tf.custom_gradient
def loose(x):
    def grad(upstream):
        calls.assign_add(1)
        tf.print("  loose upstream =", upstream)
        return upstream

    return tf.identity(x), grad


# truth: the rule is right
@tf.custom_gradient
def tied(x):
    def grad(upstream):
        line = tf.print("  tied  upstream =", upstream)
        with tf.control_dependencies([calls.assign_add(1), line]):
            return tf.identity(upstream)

    return tf.identity(x), grad


def model(x):
    return tf.sqrt(loose(x)) + tf.sqrt(tied(x))


def gradient(x, function=model):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


x = tf.constant(4.0)
for mode, function in (
        ("eager", gradient),
        ("tape inside a tf.function", tf.function(gradient)),
        ("tape outside a tf.function",
         lambda x: gradient(x, tf.function(model)))):
    calls.assign(0)
    print(mode)
    print("  gradient =", function(x).numpy(), " calls =", calls.numpy())
