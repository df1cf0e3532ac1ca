"""Deliberately wrong: the errors when a gradient [2, 3] meets a [3]."""

import textwrap

import keras
import tensorflow as tf


@tf.custom_gradient
def shift(x, b):
    def grad(upstream):
        return upstream, upstream

    return x + b, grad


def gradient(b, before=tf.identity, beside=tf.zeros_like):
    with tf.GradientTape() as tape:
        tape.watch(b)
        y = shift(tf.zeros([2, 3]), before(b))
        loss = tf.reduce_sum(y) + tf.reduce_sum(beside(b))
    return tape.gradient(loss, b)


def tf_gradients():
    with tf.Graph().as_default():
        b = tf.constant([1.0, 2.0, 3.0])
        tf.gradients(shift(tf.zeros([2, 3]), b), b)


b = tf.Variable([1.0, 2.0, 3.0])
adam, rms = keras.optimizers.Adam(), keras.optimizers.RMSprop(name="rms")
for name, run in (
        ("2 * b", lambda: gradient(b, before=lambda b: 2.0 * b)),
        ("tanh", lambda: gradient(b, before=tf.tanh)),
        ("two paths", lambda: gradient(b, beside=tf.square)),
        ("assign_sub", lambda: b.assign_sub(gradient(b))),
        ("Adam", lambda: adam.apply_gradients([(gradient(b), b)])),
        ("RMSprop", lambda: rms.apply_gradients([(gradient(b), b)])),
        ("tf.gradients", tf_gradients)):
    try:
        run()
    except (ValueError, tf.errors.InvalidArgumentError) as error:
        print(f"{name}: {type(error).__name__}")
        message = str(error).split("}} ")[-1].split(" [Op:")[0]
        print(textwrap.indent(textwrap.fill(message, 70), "  "))
