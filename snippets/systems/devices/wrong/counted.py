"""Deliberately wrong: the loss is reduced inside the tape."""

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
    optimizer = keras.optimizers.SGD(0.125)
batch = tf.constant([1.0, 3.0])


def step(reduced):
    replica = tf.distribute.get_replica_context()
    x = batch[replica.replica_id_in_sync_group]
    with tf.GradientTape() as tape:
        loss = x * w / len(batch)
        if reduced:
            loss = replica.all_reduce("sum", loss)
    slope = tape.gradient(loss, w)
    optimizer.apply_gradients([(slope, w)])
    return slope


for reduced in False, True:
    w.assign(2.0)
    slopes = tf.function(lambda: strategy.run(step, args=(reduced,)))()
    print(f"loss reduced in the tape: {reduced};", "slopes", *(
        each.numpy() for each in strategy.experimental_local_results(slopes)),
        f"; w moved by {w.numpy() - 2.0},",
        f"by hand {-0.125 * tf.reduce_mean(batch)}")
