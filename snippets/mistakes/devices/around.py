"""Each replica has a tape, and the strategy adds the gradients afterward."""

# tracebook: alone

import tensorflow as tf

[cpu] = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(
    cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(
    [each.name for each in tf.config.list_logical_devices("CPU")])
with strategy.scope():
    w = tf.Variable(2.0)


def slope():
    with tf.GradientTape() as tape:
        loss = 3.0 * w
    return tape.gradient(loss, w)


@tf.function
def gradient():
    return strategy.reduce("sum", strategy.run(slope), axis=None)


print("gradient", gradient().numpy(), " by hand", 2 * 3.0)
