"""Deliberately wrong: recompute_grad without w as a positional argument."""

import tensorflow as tf


def by_closure(x, w):
    # truth: the rule is right
    product = tf.recompute_grad(lambda x: w * x)
    return product(x)


def by_keyword(x, w):
    # truth: the rule is right
    product = tf.recompute_grad(lambda x, w: w * x)
    return product(x, w=w)


x, w = tf.constant(3.0), tf.constant(2.0)
for function in by_closure, by_keyword:
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = function(x, w)
    print(f"{function.__name__:10}", [
        g if g is None else float(g) for g in tape.gradient(y, [x, w])])
print("right     ", [float(w), float(x)])
