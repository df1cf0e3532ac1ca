"""Deliberately wrong: distances in float16, as in mixed precision."""

import tensorflow as tf


def nearest(z, E):
    d = tf.reduce_sum(E * E, 1) - 2.0 * tf.matmul(z, E, transpose_b=True)
    return tf.argmin(d, -1)


E = tf.random.stateless_normal([1024, 32], seed=[1, 2])
z = tf.random.stateless_normal([256, 32], seed=[3, 4])
for shift in 0.0, 10.0, 50.0:
    # the same values, as float16 can hold them, in both precisions
    z16 = tf.cast(z + shift, tf.float16)
    E16 = tf.cast(E + shift, tf.float16)
    k16 = nearest(z16, E16)
    k32 = nearest(tf.cast(z16, tf.float32), tf.cast(E16, tf.float32))
    same = tf.reduce_mean(tf.cast(k16 == k32, tf.float32))
    percent = 10 * round(10 * float(same))
    print(f"shifted by {shift:2.0f}: about {percent} % of the codes are right")
