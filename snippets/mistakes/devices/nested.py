"""The branch chooses the gradient; the optimizer is called outside it."""

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


def step(flag):
    slope = tf.cond(flag, lambda: 0.5, lambda: 0.0)
    optimizer.apply_gradients([(slope, w)])


run = tf.function(lambda flag: strategy.run(step, args=(flag,)))
for flag in True, False:
    run(tf.constant(flag))
    print("w:", w.numpy(), " by hand", 2.0 - 0.1 * (0.5 + 0.5))
