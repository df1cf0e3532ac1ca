"""assign stores a number, and the path to x ends there."""

import tensorflow as tf

x, state = tf.Variable(3.0), tf.Variable(0.0)
with tf.GradientTape(persistent=True) as tape:
    kept = x * x
    state.assign(kept)
    lost = 2.0 * state
    copied = 2.0 * tf.Variable(kept)
print("state.assign(kept)", tape.gradient(lost, x))
print("tf.Variable(kept) ", tape.gradient(copied, x))
print("kept              ", tape.gradient(kept, x).numpy())
