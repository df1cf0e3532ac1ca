"""Deliberately wrong: grad of a method returns a gradient for self."""

import tensorflow as tf


class Scale:
    def __init__(self, factor):
        self.factor = factor

    @tf.custom_gradient
    def scaled(self, x):
        def grad(upstream):
            return None, self.factor * upstream

        return self.factor * x, grad


x = tf.constant(1.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = Scale(3.0).scaled(x)
# tracebook: raises ValueError
tape.gradient(y, x)
