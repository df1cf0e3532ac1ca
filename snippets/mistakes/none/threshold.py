"""A trainable threshold: only compared, and part of the formula."""

import tensorflow as tf

x = tf.constant([-1.0, 0.2, 0.6, 1.5])
t = tf.Variable(0.5)


def compared():
    return tf.where(tf.abs(x) < t, x, 0.0)


def smooth():
    return x * tf.sigmoid((t - tf.abs(x)) / 0.1)


def straight_through():
    soft = smooth()
    return soft + tf.stop_gradient(compared() - soft)


for f in compared, smooth, straight_through:
    with tf.GradientTape() as tape:
        y = f()
        loss = tf.reduce_sum(y**2)
    gradient = tape.gradient(loss, t)
    shown = gradient if gradient is None else f"{gradient:.3f}"
    print(f"{f.__name__:16} y = {y.numpy().round(2)}  gradient {shown}")
