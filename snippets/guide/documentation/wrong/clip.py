"""Deliberately wrong: this clip receives 1, but the guide states 4."""

import tensorflow as tf


# truth: the rule is right; upstream becomes tf.clip_by_norm(upstream, 0.5)
@tf.custom_gradient
def clip(y):
    def grad(upstream):
        downstream = tf.clip_by_norm(upstream, 0.5)
        tf.print("upstream", upstream, "downstream", downstream, end="  ")
        return downstream

    return y, grad


def after(v):
    return clip(v * v)


def before(v):
    v = clip(v)
    return v * v


for function in (after, before):
    for value in (2.0, 3.0):
        v = tf.Variable(value)
        with tf.GradientTape() as tape:
            y = function(v)
        tf.print(f"{function.__name__:6} v", v, end="  ")
        tf.print("gradient", tape.gradient(y, v))
