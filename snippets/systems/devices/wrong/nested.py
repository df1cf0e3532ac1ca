"""Deliberately wrong: each replica calls the optimizer in a branch."""

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


def apply():
    optimizer.apply_gradients([(tf.constant(0.5), w)])
    return 0.0


def step(flag):
    return tf.cond(flag, apply, lambda: 0.0)


run = tf.function(lambda flag: strategy.run(step, args=(flag,)))
# tracebook: raises RuntimeError
try:
    run(tf.constant(True))
except RuntimeError as error:
    print("w:", w.numpy(), " right", 2.0 - 0.1 * (0.5 + 0.5))
    said = str(error).partition("RuntimeError: ")[2]
    raise RuntimeError(said.partition(". ")[0]) from None
