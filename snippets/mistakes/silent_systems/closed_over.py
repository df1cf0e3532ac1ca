"""Each tensor that needs a gradient is a positional argument."""

import tensorflow as tf

x, w = tf.constant(3.0), tf.constant(2.0)
recomputed = tf.recompute_grad(lambda x, w: w * x)
with tf.GradientTape() as tape:
    tape.watch([x, w])
    y = recomputed(x, w)
gradients = tape.gradient(y, [x, w])
assert all(each is not None for each in gradients)
print([float(each) for each in gradients])
