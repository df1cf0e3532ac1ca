"""Deliberately wrong: the inner loss isn't scaled in mixed precision."""

import keras
import tensorflow as tf

x = tf.random.stateless_normal([4096, 3], seed=[1, 2])
y = x @ [[1.0], [2.0], [3.0]] * 1e-5

for policy, scale in (
        ("float32", 1.0), ("mixed_float16", 1.0), ("mixed_float16", 1024.0)):
    model = keras.Sequential([keras.Input([3]), keras.layers.Dense(
        1, kernel_initializer="zeros", use_bias=False, dtype=policy)])
    weights = [tf.convert_to_tensor(v) for v in model.trainable_variables]
    with tf.GradientTape() as tape:
        tape.watch(weights)
        z, _ = model.stateless_call(weights, [], x, training=True)
        errors = tf.cast(z, tf.float32) - y
        loss = scale * tf.reduce_mean(tf.square(errors))
    [gradient] = tape.gradient(loss, weights)
    print(f"{policy:13}  scale {scale:6.0f}  1e5 * gradient",
          (1e5 * gradient[:, 0] / scale).numpy().round(1))
