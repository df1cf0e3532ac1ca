"""Deliberately wrong: in the second run, all lambdas use the last factor."""

import tensorflow as tf

w = [2.0, 3.0, 5.0]


def chain(x):
    for factor in w:
        # truth: the rule is right
        x = tf.recompute_grad(lambda x: factor * x)(x)
    return x


def bound(x):
    for factor in w:
        # truth: the rule is right
        x = tf.recompute_grad(lambda x, factor=factor: factor * x)(x)
    return x


x = tf.constant(1.0)
for function in chain, bound:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    print(f"{function.__name__:5}  y = {y:.0f}"
          f"  dy/dx = {tape.gradient(y, x):.0f}")
