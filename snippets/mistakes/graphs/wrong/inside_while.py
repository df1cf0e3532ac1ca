"""Deliberately wrong: a gradient with respect to a loop's initial value."""

import tensorflow as tf

tf.compat.v1.disable_control_flow_v2()


def steps(x):
    def body(i, y):
        y = y * y
        return i + 1, y - 0.1 * tf.gradients(y, x)[0]

    return tf.while_loop(lambda i, y: i < 3, body, (0, x))[1]


with tf.Graph().as_default():
    x = tf.constant(2.0, name="start")
    try:
        steps(x)
    except ValueError as error:
        print(type(error).__name__ + ":", error)
