"""The softmax of x - max(x), with and without tf.stop_gradient."""

import tensorflow as tf

x = tf.constant([1.0, 3.0, 3.0])
upstream = tf.constant([1.0, -2.0, 0.5])

gradients = []
for stop in (True, False):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        m = tf.reduce_max(x)
        m = tf.stop_gradient(m) if stop else tf.identity(m)
        tape.watch(m)
        e = tf.exp(x - m)
        y = e / tf.reduce_sum(e)
    gradients.append(tape.gradient(y, x, output_gradients=upstream))
    print(f"stop_gradient {stop!s:5}  downstream",
          [f"{value:.5f}" for value in gradients[-1]])
into_max = tape.gradient(y, m, output_gradients=upstream)
print("what flows into the maximum is 0 up to rounding:",
      bool(abs(into_max) < 1e-6))
print("gradients agree:",
      bool(tf.reduce_max(abs(gradients[0] - gradients[1])) < 1e-6))
