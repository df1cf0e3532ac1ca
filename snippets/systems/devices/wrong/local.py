"""Deliberately wrong: the gradient of a mean stays in its replica."""

# tracebook: alone

import tensorflow as tf

[cpu] = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(
    cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(
    [each.name for each in tf.config.list_logical_devices("CPU")])
whole = tf.constant([[1.0, 2.0], [3.0, 6.0]])
weights = tf.constant([[1.0, 3.0], [2.0, -4.0]])


# truth: the rule is right
@tf.custom_gradient
def mean(x):
    replica = tf.distribute.get_replica_context()
    n = replica.num_replicas_in_sync

    def grad(upstream):
        return upstream / n

    return replica.all_reduce("mean", x), grad


def slope():
    index = tf.distribute.get_replica_context().replica_id_in_sync_group
    x, c = whole[index], weights[index]
    with tf.GradientTape() as tape:
        tape.watch(x)
        centered = x - mean(tf.reduce_mean(x))
        loss = tf.reduce_sum(c * centered ** 2)
    return tape.gradient(loss, x)


with tf.GradientTape() as tape:
    tape.watch(whole)
    loss = tf.reduce_sum(weights * (whole - tf.reduce_mean(whole)) ** 2)
print("one device ", *tape.gradient(loss, whole).numpy())
found = tf.function(lambda: strategy.run(slope))()
print("this grad  ", *(
    each.numpy() for each in strategy.experimental_local_results(found)))
