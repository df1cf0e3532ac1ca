"""Deliberately wrong: the tape is in the scope, outside of run."""

# tracebook: alone

import tensorflow as tf

[cpu] = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(
    cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(
    [each.name for each in tf.config.list_logical_devices("CPU")])
# tracebook: raises ValueError
with strategy.scope():
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        loss = w * 3.0
    tape.gradient(loss, w)
