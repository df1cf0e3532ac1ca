"""Deliberately wrong: grad_pass_through of a function that changes shapes."""

import re

import tensorflow as tf

total = tf.grad_pass_through(tf.reduce_sum)
x = tf.Variable([1.0, 2.0, 3.0, 4.0])
with tf.GradientTape() as tape:
    y = total(x)
    L = y**2
gradient = tape.gradient(L, x)
print("x", x.shape, " y", y.shape, " dL/dx", gradient.shape, "=",
      gradient.numpy())
try:
    x.assign_sub(0.01 * gradient)
except tf.errors.InvalidArgumentError as error:
    print(re.search("Cannot update .* equal", error.message)[0])

for name, before in (("2 x", lambda x: 2.0 * x),
                     ("[1 1 1 1] x", lambda x: [1.0, 1.0, 1.0, 1.0] * x)):
    with tf.GradientTape() as tape:
        L = total(before(x)) ** 2
    try:
        print("after", name, "dL/dx", tape.gradient(L, x).numpy())
    except tf.errors.InvalidArgumentError as error:
        print("after", name, re.search("Input to .* has 4", error.message)[0])
