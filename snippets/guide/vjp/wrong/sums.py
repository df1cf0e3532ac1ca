"""Deliberately wrong: the gradient of a vector, in place of its Jacobian."""

import numpy as np
import tensorflow as tf

x = tf.constant([1.0, 2.0, 3.0])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = tf.nn.softmax(x)
    first = y[0]

gradient = tape.gradient(y, x)
jacobian = tape.jacobian(y, x)
print("gradient:", np.round(gradient, 4) + 0.0)
print("jacobian:")
print(np.round(jacobian, 4))
print("sums of its columns:", np.round(tf.reduce_sum(jacobian, 0), 4) + 0.0)
print("y[0], taken inside the block: ", np.round(tape.gradient(first, x), 4))
print("y[0], taken outside of it:    ", tape.gradient(y[0], x))
