"""Deliberately wrong: factors of the batch size and of the replicas."""

import tensorflow as tf

tf.random.set_seed(0)
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(
    cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(
    tf.config.list_logical_devices("CPU"))
LIMIT, SIGMA, BATCH, SIZE = 1.0, 0.6, 8, 100_000
gradients = 0.004 + 0.002 * tf.random.stateless_normal(
    [BATCH, SIZE], seed=[1, 2])


def total(gradients):
    return tf.reduce_sum(tf.clip_by_norm(gradients, LIMIT, axes=[1]), 0)


def report(name, signal, noise):
    noise = tf.math.reduce_std(noise)
    print(f"{name:15} length {tf.norm(signal):.2f}  noise {noise:.3f}")


@tf.function
def on_each_replica():
    def replica():
        noise = tf.random.normal([SIZE], stddev=SIGMA * LIMIT)
        return tf.distribute.get_replica_context().all_reduce("SUM", noise)

    return strategy.experimental_local_results(strategy.run(replica))[0]


noise = tf.random.stateless_normal([SIZE], [3, 4], stddev=SIGMA * LIMIT)
right = total(gradients) / BATCH
report("right", right, noise / BATCH)
report("losses / BATCH", total(gradients / BATCH) / BATCH, noise / BATCH)
report("after dividing", right, noise)
report("on each replica", right, on_each_replica() / BATCH)
