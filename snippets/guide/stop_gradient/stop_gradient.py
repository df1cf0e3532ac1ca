"""The stop-gradient trick: the value of sign, the derivative of tanh."""

import tensorflow as tf


def trick(x):
    y = tf.sign(x)
    s = tf.tanh(x)
    c = tf.stop_gradient(y - s)
    print(f"forward   y = {y:.4f}  s = {s:.4f}  c = {c:.4f}")
    return s + c


x, upstream_z = tf.constant(0.5), tf.constant(10.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    z = trick(x)
downstream_x = tape.gradient(z, x, output_gradients=upstream_z)
local = 1.0 - tf.tanh(x) ** 2
print(f"forward   z = {z:.4f}")
print(f"backward  upstream = {upstream_z:.0f}  local = {local:.4f}"
      f"  downstream = {downstream_x:.4f}")
