"""Deliberately wrong: after the first step w is a tensor."""

import tensorflow as tf

w = tf.Variable(1.0)
# tracebook: raises TypeError
for step in range(2):
    with tf.GradientTape() as tape:
        loss = (w - 3.0) ** 2
    gradient = tape.gradient(loss, w)
    print(f"step {step}: w is a variable {isinstance(w, tf.Variable)},"
          f" gradient {gradient}")
    w = w - 0.1 * gradient
