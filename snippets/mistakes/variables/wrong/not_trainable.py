"""Deliberately wrong: the variable isn't trainable, and isn't passed."""

import tensorflow as tf

w = tf.Variable(2.0, trainable=False)


# truth: the rule is right
@tf.custom_gradient
def product(x):
    def grad(upstream):
        return upstream * w

    return w * x, grad


def plain(x):
    return w * x


x = tf.constant(3.0)
for function in product, plain:
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = function(x)
    print(f"{function.__name__:7} to w:", *[
        None if g is None else g.numpy() for g in tape.gradient(y, [w])])
