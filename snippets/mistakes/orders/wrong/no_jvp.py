"""Deliberately wrong: the first step runs outside the accumulator."""
# tracebook: raises AttributeError

import tensorflow as tf

x = tf.constant(0.5)
y = tf.exp(x)
with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
    z = y * y
    s = tf.sign(x)
print("of y * y:", accumulator.jvp(z), " of the sign:", accumulator.jvp(s))
accumulator.jvp(z).numpy()
