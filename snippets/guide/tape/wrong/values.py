"""Wrong on purpose: ways from x to y that a tape cannot follow."""

import numpy as np
import tensorflow as tf

state = tf.Variable(0.0)
table = tf.constant([0.0, 10.0, 20.0, 30.0])


def assigned(x):
    state.assign(3.0 * x)
    return state * 1.0


WAYS = {
    "3 x": lambda x: 3.0 * x,
    "stop_gradient": lambda x: 3.0 * tf.stop_gradient(x),
    ".numpy()": lambda x: tf.constant(3.0 * x.numpy()),
    "np.square": lambda x: tf.constant(np.square(x)),
    "numpy_function": lambda x: tf.numpy_function(
        np.square, [x], tf.float32),
    "tf.Variable(x)": lambda x: 3.0 * tf.Variable(x),
    "assign": assigned,
    "cast to int": lambda x: tf.cast(tf.cast(x, tf.int32), tf.float32),
    "as an index": lambda x: tf.gather(table, tf.cast(x, tf.int32)),
    "x > 1": lambda x: tf.cast(x > 1.0, tf.float32),
    "tf.round": lambda x: tf.round(x),
    "tf.sign": lambda x: tf.sign(x)}

x, h = tf.constant(2.25), 0.125
print(f"{'':14}{'differences':>13}{'tape':>7}{'ZERO':>6}")
for name, way in WAYS.items():
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = way(x)
    slope = tape.gradient(y, x)
    zero = tape.gradient(
        y, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    differences = (way(x + h) - way(x - h)) / (2.0 * h)
    shown = "None" if slope is None else slope.numpy()
    print(f"{name:14}{differences.numpy():13}{shown:>7}{zero.numpy():6}")
