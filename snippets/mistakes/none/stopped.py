"""stop_gradient and stop_recording end the path on purpose."""

import tensorflow as tf

x = tf.Variable(3.0)
with tf.GradientTape(persistent=True) as tape:
    kept = x * x
    lost = tf.stop_gradient(kept)
    with tape.stop_recording():
        unrecorded = x * x
print("tf.stop_gradient   ", tape.gradient(lost, x))
print("tape.stop_recording", tape.gradient(unrecorded, x))
print("kept               ", tape.gradient(kept, x).numpy())
