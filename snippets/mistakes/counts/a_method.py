"""grad of a method returns no gradient for self."""

import tensorflow as tf


class Scale:
    def __init__(self, factor):
        self.factor = factor

    @tf.custom_gradient
    def scaled(self, x):
        def grad(upstream):
            return self.factor * upstream

        return self.factor * x, grad


def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = Scale(3.0).scaled(x)
    return tape.gradient(y, x)


x = tf.constant(1.0)
print("eager:", gradient(x).numpy())
print("graph:", tf.function(gradient)(x).numpy())
