"""Ranks with a gradient: a sigmoid for each comparison."""

import tensorflow as tf


def show(name, value):
    tf.print(f"{name:10}", tf.strings.as_string(value, precision=4))


def compared(x):
    """Each element minus each, along the last axis."""
    return x[..., :, None] - x[..., None, :]


def custom(tau):
    # truth: x.shape.rank > 0
    @tf.custom_gradient
    def soft_rank(x):
        above = compared(x) / tau
        r = 0.5 + tf.reduce_sum(tf.sigmoid(above), axis=-1)

        def grad(upstream):
            S = tf.sigmoid(above) * tf.sigmoid(-above) / tau
            return tf.reduce_sum(S * compared(upstream), axis=-1)

        return r, grad

    return soft_rank


def automatic(tau):
    return lambda x: 0.5 + tf.reduce_sum(
        tf.sigmoid(compared(x) / tau), axis=-1)


x = tf.constant([0.3, -1.0, 2.0, 0.9])
places = tf.argsort(tf.argsort(x))
show("hard", 1.0 + tf.cast(places, x.dtype))
upstream = tf.constant([1.0, 0.0, 0.0, -1.0])
for make in custom, automatic:
    with tf.GradientTape() as tape:
        tape.watch(x)
        r = make(0.1)(x)
    if make is custom:
        show("soft", r)
    name = "downstream" if make is custom else "TensorFlow"
    show(name, tape.gradient(r, x, upstream))
