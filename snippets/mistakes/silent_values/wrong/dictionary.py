"""Deliberately wrong: gradients in the order in which keys were written."""

import tensorflow as tf


@tf.custom_gradient
def line(model):
    def grad(upstream):
        return upstream * 5.0, upstream

    return 5.0 * model["w"] + model["b"], grad


def ruled(w, b):
    return line({"w": w, "b": b})


def plain(w, b):
    return 5.0 * w + b


w, b = tf.constant(2.0), tf.constant(1.0)
for function in ruled, plain:
    with tf.GradientTape() as tape:
        tape.watch([w, b])
        y = function(w, b)
    dw, db = tape.gradient(y, [w, b])
    print(f"{function.__name__:5} to w: {dw.numpy()}  to b: {db.numpy()}")
