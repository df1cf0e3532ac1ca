"""Deliberately wrong: batch_jacobian through batch normalization."""

import keras
import tensorflow as tf

x = tf.constant([[1.0, 0.0], [2.0, 1.0], [6.0, 5.0]])


keras.utils.set_random_seed(0)
model = keras.Sequential([
    keras.Input([2]), keras.layers.BatchNormalization(),
    keras.layers.Dense(1)])
for training in True, False:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = model(x, training=training)
    blocks = tape.batch_jacobian(y, x)[:, 0]  # [example, input]
    whole = tape.jacobian(y, x)[:, 0]  # [example, other example, input]
    print(f"training={training!s:5}"
          f"  batch_jacobian {(blocks[0].numpy().round(3) + 0.0)}"
          f"  right {whole[0, 0].numpy().round(3)}"
          f"  for another example {whole[0, 1].numpy().round(3) + 0.0}")
