"""Wrong on purpose: recompute_grad, and tensors that are no positional input."""

import tensorflow as tf

w = tf.constant(2.0)


def by_closure(x):
    return tf.recompute_grad(lambda x: w * x)(x)


def by_keyword(x):
    return tf.recompute_grad(lambda x, w: w * x)(x, w=w)


def by_position(x):
    return tf.recompute_grad(lambda x, w: w * x)(x, w)


x = tf.constant(3.0)
for function in by_closure, by_keyword, by_position:
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = function(x)
    print(f"{function.__name__:11}", [
        g if g is None else float(g) for g in tape.gradient(y, [x, w])])
