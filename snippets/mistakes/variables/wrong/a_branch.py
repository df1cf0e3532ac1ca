"""Deliberately wrong: grad reads a variable in a branch of tf.cond."""

import tensorflow as tf

w = tf.Variable(2.0)


# truth: the rule is right
@tf.custom_gradient
def product(x):
    def grad(upstream, variables=None):
        return upstream * w, [tf.reduce_sum(upstream * x)]

    return w * x, grad


def branched(x):
    return tf.cond(x > 0.0, lambda: product(x), lambda: x)


def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = branched(x)
    return tape.gradient(y, x)


x = tf.constant(3.0)
print("eager:", gradient(x).numpy())
try:
    tf.function(gradient, autograph=False)(x)
except AttributeError as error:
    print(f"{type(error).__name__}: {error}")
