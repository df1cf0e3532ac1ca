"""Deliberately wrong: the tape is around the replicas."""

# tracebook: alone

import tensorflow as tf

[cpu] = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(
    cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(
    [each.name for each in tf.config.list_logical_devices("CPU")])
with strategy.scope():
    w = tf.Variable(2.0)


@tf.function
def gradient():
    with tf.GradientTape() as tape:
        losses = strategy.run(lambda: 3.0 * w)
        loss = strategy.reduce("sum", losses, axis=None)
    return loss, tape.gradient(loss, w)


loss, slope = gradient()
print("loss", loss.numpy(), " gradient", slope, " right", 2 * 3.0)
