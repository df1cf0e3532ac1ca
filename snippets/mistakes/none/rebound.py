"""assign_sub updates the variable, and w remains a variable."""

import tensorflow as tf

w = tf.Variable(1.0)
for step in range(2):
    with tf.GradientTape() as tape:
        loss = (w - 3.0) ** 2
    gradient = tape.gradient(loss, w)
    print(f"step {step}: gradient {gradient.numpy():.2f}"
          f"  by hand {2.0 * (w.numpy() - 3.0):.2f}")
    w.assign_sub(0.1 * gradient)
