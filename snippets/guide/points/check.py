"""A check for kinks: g v lies between the slopes of both sides along v."""

import tensorflow as tf


def claimed(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


def in_bounds(function, x, g, v, h=1e-6):
    y, claim = function(x), tf.reduce_sum(g * v)
    left = (y - function(x - h * v)) / h
    right = (function(x + h * v) - y) / h
    return bool(claim >= tf.minimum(left, right) - 1e-4
                and claim <= tf.maximum(left, right) + 1e-4)


def count(function, x, g, directions):
    return sum(in_bounds(function, x, g, v) for v in directions)


def sum_of_relu(x):
    return tf.reduce_sum(tf.nn.relu(x))


def max_plus_min(x):
    return tf.maximum(x[0], x[1]) + tf.minimum(x[0], x[1])


tie = tf.constant([2.0, 2.0, 2.0], tf.float64)
zero = tf.zeros(3, tf.float64)
axes = tf.eye(3, dtype=tf.float64)
random = tf.random.stateless_normal([100, 3], [1, 2], dtype=tf.float64)
print("                                axes  random directions")
for name, function, x, g in (
        ("reduce_max, TensorFlow", tf.reduce_max, tie, None),
        ("reduce_max, one half each", tf.reduce_max, tie, 0.5),
        ("reduce_max, all to each", tf.reduce_max, tie, 1.0),
        ("sum of relu, TensorFlow", sum_of_relu, zero, None),
        ("norm, TensorFlow", tf.norm, zero, None),
        ("norm, 0", tf.norm, zero, 0.0),
        ("norm, 0.5 each", tf.norm, zero, 0.5),
        ("norm, 0.7 each", tf.norm, zero, 0.7),
        ("max + min, TensorFlow", max_plus_min, tie, None)):
    g = claimed(function, x) if g is None else tf.fill([3], zero[0] + g)
    print(f"{name:26}  {count(function, x, g, axes)} of 3"
          f"  {count(function, x, g, random):3} of 100")
