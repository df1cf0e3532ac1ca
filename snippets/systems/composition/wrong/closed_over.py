"""Deliberately wrong: a custom gradient captures a tensor."""

import tensorflow as tf


def rule(x, s):
    # truth: the rule is right; x.shape == s.shape
    @tf.custom_gradient
    def scaled(x):
        def grad(upstream):
            local = s
            return upstream * local

        return x * s, grad

    return scaled(x)


def meant(x, s):
    return x * s


inputs = [tf.constant([0.5, -1.0, 2.0]), tf.constant([1.5, -0.5, 2.0])]
with tf.GradientTape() as tape:
    tape.watch(inputs)
    y = rule(*inputs)
downstream_x, downstream_s = tape.gradient(y, inputs)
print("downstream x =", downstream_x.numpy())
print("downstream s =", downstream_s)
