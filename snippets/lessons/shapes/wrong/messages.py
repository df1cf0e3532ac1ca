"""Deliberately wrong: three places where a wrong shape becomes an error."""

import textwrap

import tensorflow as tf


@tf.custom_gradient
def row_sums(x):
    def grad(upstream):
        return 2.0 * upstream[:, tf.newaxis]

    return 2.0 * tf.reduce_sum(x, axis=1), grad


def added_up(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(row_sums(x)) + tf.reduce_sum(x)
    tape.gradient(loss, x)


def update(x):
    variable = tf.Variable(x)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(row_sums(tf.identity(variable)))
    variable.assign_sub(tape.gradient(loss, variable))


def tf_gradients(x):
    with tf.Graph().as_default():
        x = tf.constant(x.numpy())
        tf.gradients(tf.reduce_sum(row_sums(x)), x)


for place in (added_up, update, tf_gradients):
    try:
        place(tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    except (ValueError, tf.errors.InvalidArgumentError) as error:
        print(f"{place.__name__}: {type(error).__name__}")
        message = str(error).split("}} ")[-1]
        print(textwrap.indent(textwrap.fill(message, 66), "  "))
