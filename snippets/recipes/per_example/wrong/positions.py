"""Deliberately wrong: norms are added over the positions of a sequence."""

import tensorflow as tf

x = tf.random.stateless_normal([3, 6, 4], seed=[1, 2])
kernel = tf.random.stateless_normal([4, 2], seed=[3, 4])


def loss(y):
    return tf.reduce_mean(tf.square(y - 1.0), [1, 2])


right = []
for example in x:
    with tf.GradientTape() as tape:
        tape.watch(kernel)
        value = loss((example @ kernel)[None])
    right.append(tf.norm(tape.gradient(value, kernel)))

with tf.GradientTape() as tape:
    y = tf.matmul(x, kernel)
    tape.watch(y)
    values = loss(y)
u = tape.gradient(values, y)
inputs, upstream = tf.norm(x, axis=2), tf.norm(u, axis=2)
pairs = tf.matmul(x, x, transpose_b=True) * tf.matmul(
    u, u, transpose_b=True)
print("one by one:         ", tf.stack(right).numpy().round(3))
print("all pairs:          ",
      tf.sqrt(tf.reduce_sum(pairs, [1, 2])).numpy().round(3))
print("sum over positions: ",
      tf.norm(inputs * upstream, axis=1).numpy().round(3))
print("norm of all elements:",
      (tf.norm(inputs, axis=1) * tf.norm(upstream, axis=1)).numpy().round(3))
