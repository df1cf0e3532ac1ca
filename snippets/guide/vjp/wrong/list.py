"""Deliberately wrong: a list as output_gradients is not one row."""

import tensorflow as tf

x = tf.constant([1.0, 2.0, 3.0])
for name, row in [("list  ", [5.0, 7.0, 9.0]),
                  ("tuple ", (5.0, 7.0, 9.0)),
                  ("tensor", tf.constant([5.0, 7.0, 9.0]))]:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    gradient = tape.gradient(y, x, output_gradients=row)
    print(name, gradient.numpy())
