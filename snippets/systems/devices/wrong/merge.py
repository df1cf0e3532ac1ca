"""Deliberately wrong: an optimizer is called in the scope, outside of run."""

# tracebook: alone

import tensorflow as tf
from tensorflow import keras

[cpu] = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(
    cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(
    [each.name for each in tf.config.list_logical_devices("CPU")])
# tracebook: raises AttributeError
with strategy.scope():
    w = tf.Variable(2.0)
    optimizer = keras.optimizers.SGD(0.1)
    optimizer.apply_gradients([(tf.constant(1.0), w)])
