"""Only the operations inside the block of the tape are recorded."""

import tensorflow as tf

x = tf.Variable(3.0)
before = x * x
with tf.GradientTape(persistent=True) as tape:
    inside = x * x
after = inside + 1.0
print("before the block", tape.gradient(before, x))
print("inside the block", tape.gradient(inside, x).numpy())
print("after the block ", tape.gradient(after, x))
