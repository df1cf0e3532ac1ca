"""Each function here is constant between its steps."""

import tensorflow as tf


def through(x):
    return x + tf.stop_gradient(tf.round(x) - x)


table = tf.constant([0.0, 10.0, 20.0, 30.0])
functions = {
    "tf.round": tf.round,
    "cast to int": lambda x: tf.cast(tf.cast(x, tf.int32), tf.float32),
    "as an index": lambda x: tf.gather(table, tf.cast(x, tf.int32)),
    "x > 1": lambda x: tf.cast(x > 1.0, tf.float32),
    "number of errors": lambda x: tf.cast(
        tf.math.count_nonzero(tf.round(x) != 9.0), tf.float32),
    "tf.sign": tf.sign,
    "x + stop(round(x) - x)": through,
    "sum of |errors|": lambda x: tf.reduce_sum(tf.abs(through(x) - 9.0))}
x, h = tf.Variable(2.25), 0.125
print(f"{'':24}{'tape':>5}{'finite difference':>19}")
for name, function in functions.items():
    with tf.GradientTape() as tape:
        y = function(x)
    gradient = tape.gradient(y, x)
    shown = "None" if gradient is None else f"{gradient.numpy():.1f}"
    difference = (function(x + h) - function(x - h)) / (2.0 * h)
    print(f"{name:24}{shown:>5}{difference:19.1f}")
