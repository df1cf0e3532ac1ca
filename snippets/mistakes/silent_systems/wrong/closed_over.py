"""Deliberately wrong: recompute_grad, and tensors not passed by position."""

import tensorflow as tf

w = tf.constant(2.0)


def by_closure(x):
    # truth: the rule is right
    product = tf.recompute_grad(lambda x: w * x)
    return product(x)


def by_keyword(x):
    # truth: the rule is right
    product = tf.recompute_grad(lambda x, w: w * x)
    return product(x, w=w)


x = tf.constant(3.0)
for function in by_closure, by_keyword:
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = function(x)
    print(f"{function.__name__:10}", [
        g if g is None else float(g) for g in tape.gradient(y, [x, w])])
print("right     ", [float(w), float(x)])
