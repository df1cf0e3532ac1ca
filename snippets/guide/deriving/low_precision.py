"""Step 8: the gradient of gamma in float16, with its sum in two dtypes."""

import tensorflow as tf

x = tf.fill([10_000, 4], tf.constant(3.0, tf.float16))
upstream = tf.ones_like(x)

for dtype in tf.float16, tf.float32:
    wide = tf.cast(x, dtype)
    s = tf.sqrt(tf.reduce_mean(wide * wide, -1, keepdims=True) + 1e-6)
    gamma_bar = tf.reduce_sum(tf.cast(upstream, dtype) * wide / s, 0)
    print(f"sum in {dtype.name}:", round(float(gamma_bar[0])))

x *= 100.0
for dtype in tf.float16, tf.float32:
    wide = tf.cast(x[0], dtype)
    print(f"s in {dtype.name}:", tf.sqrt(tf.reduce_mean(wide * wide)).numpy())
