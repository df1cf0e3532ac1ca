"""One call with a list, or a persistent tape."""

import tensorflow as tf

x, y = tf.Variable(2.0), tf.Variable(3.0)
with tf.GradientTape() as tape:
    z = x * y
print("one list:  ", *(g.numpy() for g in tape.gradient(z, [x, y])))
with tf.GradientTape(persistent=True) as tape:
    z = x * y
print("persistent:", tape.gradient(z, x).numpy(), tape.gradient(z, y).numpy())
print("by hand:   ", y.numpy(), x.numpy())
