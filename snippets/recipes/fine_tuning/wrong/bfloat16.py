"""Deliberately wrong: bfloat16 weights get updates that are too small."""

import keras
import tensorflow as tf

for policy in "bfloat16", "mixed_bfloat16":
    keras.utils.set_random_seed(0)
    dense = keras.layers.Dense(
        1, kernel_initializer="ones", use_bias=False, dtype=policy)
    model = keras.Sequential([keras.Input([1]), dense])
    model.compile(keras.optimizers.SGD(1e-3), lambda y, z: z, metrics=[])
    model.fit(tf.ones([10, 1]), tf.ones([10, 1]), batch_size=1, verbose=0)
    kernel = tf.cast(dense.kernel.value, tf.float32)
    print(f"{policy:15} {dense.kernel.dtype:8} after 10 steps of 0.001:"
          f" {kernel.numpy().item():.4f}")
print("1 + 0.001 in bfloat16:", float(
    tf.constant(1.0, tf.bfloat16) + tf.constant(1e-3, tf.bfloat16)))
