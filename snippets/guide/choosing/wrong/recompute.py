"""Deliberately wrong: recompute_grad, differentiated twice, and forward."""

import textwrap

import tensorflow as tf

recomputed = tf.recompute_grad(tf.tanh)


def first(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


def second(function, x):
    return first(lambda x: first(function, x), x)


def forward_mode(function, x):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = function(x)
    return accumulator.jvp(y)


x = tf.constant(0.5)
for name, mode, function in (
        ("first of tanh", first, recomputed),
        ("second of tanh", second, recomputed),
        ("second of tanh ** 2", second, lambda x: recomputed(x) ** 2),
        ("forward mode", forward_mode, recomputed)):
    def run(x):
        return mode(function, x)

    row = []
    for each in (run, tf.function(run, autograph=False)):
        try:
            row.append(f"{each(x):.4f}")
        except NotImplementedError as error:
            row.append("NotImplementedError")
            message = str(error)
    print(f"{name:20} eager {row[0]:20} tf.function {row[1]}")
print(textwrap.fill(message, 66))
