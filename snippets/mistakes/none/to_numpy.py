"""np.square returns a constant, and tf.square is recorded."""

import numpy as np
import tensorflow as tf

x = tf.Variable(3.0)
with tf.GradientTape(persistent=True) as tape:
    lost = tf.constant(np.square(x.numpy()))
    kept = tf.square(x)
print("np.square", tape.gradient(lost, x))
print("tf.square", tape.gradient(kept, x).numpy())
