"""Deliberately wrong: each replica averages over its own part of the batch."""

# tracebook: alone

import tensorflow as tf
from tensorflow import keras

[cpu] = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(
    cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(
    [each.name for each in tf.config.list_logical_devices("CPU")])
with strategy.scope():
    w = tf.Variable(2.0)
    optimizer = keras.optimizers.SGD(0.1)


def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(x * w)
    optimizer.apply_gradients([(tape.gradient(loss, w), w)])


batch = tf.constant([1.0, 2.0, 3.0, 4.0])
parts = strategy.experimental_distribute_values_from_function(
    lambda context: batch[context.replica_id_in_sync_group::2])
tf.function(lambda x: strategy.run(step, args=(x,)))(parts)
print(f"w after a step: {w.numpy():.2f}"
      f"  right {2.0 - 0.1 * tf.reduce_mean(batch):.2f}")
