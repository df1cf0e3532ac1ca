"""Deliberately wrong: a right probe in places where it sees too little."""

import tensorflow as tf


# truth: the rule is right
@tf.custom_gradient
def probe(x):
    def grad(upstream):
        line = tf.print("  upstream =", upstream)
        with tf.control_dependencies([line]):
            return tf.identity(upstream)

    return tf.identity(x), grad


def result_not_used(x):
    probe(x)
    return 5.0 * x + x * x


def one_use_of_two(x):
    return 5.0 * probe(x) + x * x


def at_its_source(x):
    x = probe(x)
    return 5.0 * x + x * x


for function in (result_not_used, one_use_of_two, at_its_source):
    print(function.__name__)
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    print("  gradient", tape.gradient(y, x).numpy())
