"""None and 0.0 differ, and unconnected_gradients hides the difference."""

import tensorflow as tf

x, unused = tf.Variable(3.0), tf.Variable(2.0)
with tf.GradientTape(persistent=True) as tape:
    lost = 5.0 * tf.stop_gradient(x)
    flat = 0.0 * x
for name, y, source in (("unused", flat, unused), ("lost", lost, x),
                        ("flat", flat, x)):
    zero = tape.gradient(y, source, unconnected_gradients="zero")
    print(f"{name:7}{tape.gradient(y, source)}, with zero {zero.numpy()}")
