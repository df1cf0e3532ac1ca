"""Deliberately wrong: each use is clipped to 1, instead of their sum."""

import tensorflow as tf


# truth: the rule is right
# truth: upstream becomes tf.clip_by_value(upstream, -1.0, 1.0)
@tf.custom_gradient
def clipped(w):
    def grad(upstream):
        return tf.clip_by_value(upstream, -1.0, 1.0)

    return tf.identity(w), grad


def at_each_use(w):
    return [clipped(w), clipped(w), clipped(w)]


def once(w):
    w = clipped(w)
    return [w, w, w]


def never(w):
    return [w, w, w]


w = tf.constant(1.0)
for upstreams in ([5.0, 4.0, 3.0], [5.0, 4.0, -9.0]):
    for uses in (never, once, at_each_use):
        with tf.GradientTape() as tape:
            tape.watch(w)
            L = tf.add_n([u * use for u, use in zip(upstreams, uses(w))])
        print("upstream", upstreams, f"clipped {uses.__name__:11}",
              " dL/dw =", tape.gradient(L, w).numpy())
