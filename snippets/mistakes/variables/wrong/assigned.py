"""Deliberately wrong: the function assigns to a variable that is passed."""

import tensorflow as tf

power = tf.Variable(0.0, trainable=False)


@tf.custom_gradient
def scaled(x, power):
    power.assign(tf.reduce_mean(x * x))

    def grad(upstream):
        return upstream / power, None

    return tf.identity(x), grad


x = tf.constant([[1.0], [2.0]])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = scaled(x, power)
print("eager:", tape.gradient(y, x).numpy().ravel())
# tracebook: raises AttributeError
tf.function(scaled, autograph=False)(x, power)
