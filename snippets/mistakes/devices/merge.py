"""The optimizer is called in the function that each replica runs."""

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


def step():
    optimizer.apply_gradients([(tf.constant(0.5), w)])


tf.function(lambda: strategy.run(step))()
print("w after a step:", w.numpy(), " by hand", 2.0 - 0.1 * (0.5 + 0.5))
