"""Deliberately wrong: grad reads a variable in a tf.while_loop."""

import tensorflow as tf

w = tf.Variable(2.0)


# truth: the rule is right
@tf.custom_gradient
def product(x):
    def grad(upstream, variables=None):
        return upstream * w, [tf.reduce_sum(upstream * x)]

    return w * x, grad


def power(x):
    return tf.while_loop(lambda n, y: n < 2,
                         lambda n, y: (n + 1, product(y)), [0, x])[1]


def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = power(x)
    return tape.gradient(y, x)


x = tf.constant(3.0)
print("eager:", gradient(x).numpy())
# tracebook: raises ValueError
tf.function(gradient, autograph=False)(x)
