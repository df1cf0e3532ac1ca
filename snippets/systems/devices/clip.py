"""The gradient function adds over the replicas first, and then clips."""

# tracebook: alone

import tensorflow as tf

[cpu] = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(
    cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(
    [each.name for each in tf.config.list_logical_devices("CPU")])
with strategy.scope():
    w = tf.Variable([0.0, 0.0])


# truth: downstream becomes tf.clip_by_norm(downstream, 1.0)
@tf.custom_gradient
def clipped(w):
    def grad(upstream):
        replicas = tf.distribute.get_replica_context()
        total = replicas.all_reduce("sum", tf.convert_to_tensor(upstream))
        return tf.clip_by_norm(total, 1.0) / replicas.num_replicas_in_sync

    return tf.identity(w), grad


def slope(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(x * clipped(tf.convert_to_tensor(w)))
    return tape.gradient(loss, w)


parts = strategy.experimental_distribute_values_from_function(
    lambda context: tf.constant([3.0, 4.0]))
found = tf.function(lambda x: strategy.reduce(
    "sum", strategy.run(slope, args=(x,)), axis=None))(parts)
print("gradient", found.numpy(), " norm", tf.norm(found).numpy())
