"""Each step runs inside the accumulator, and jvp returns 0, not None."""

import tensorflow as tf

x = tf.constant(0.5)
with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
    y = tf.exp(x)
    z = y * y
    s = tf.sign(x)
print(f"of y * y: {accumulator.jvp(z):.4f}"
      f"  by hand: {2.0 * tf.exp(2.0 * x):.4f}")
print("of the sign:", accumulator.jvp(
    s, unconnected_gradients=tf.UnconnectedGradients.ZERO).numpy())
