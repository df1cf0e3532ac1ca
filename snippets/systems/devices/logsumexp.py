"""log of a sum of exponentials whose terms lie on several replicas."""

# tracebook: alone

import tensorflow as tf

[cpu] = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(
    cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(
    [each.name for each in tf.config.list_logical_devices("CPU")])
logits = tf.constant([[1.0, 3.0], [2.0, -1.0]])
weights = tf.constant([1.0, 4.0])


@tf.custom_gradient
def logsumexp(x):
    replica = tf.distribute.get_replica_context()
    # The largest of all; all_reduce has no maximum.
    shift = tf.reduce_max(replica.all_gather(tf.reduce_max(x)[None], 0))
    y = shift + tf.math.log(
        replica.all_reduce("sum", tf.reduce_sum(tf.exp(x - shift))))

    def grad(upstream):
        return replica.all_reduce("sum", upstream) * tf.exp(x - y)

    return y, grad


def slope():
    index = tf.distribute.get_replica_context().replica_id_in_sync_group
    x = logits[index]
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = logsumexp(x)
        loss = weights[index] * y
    return y, tape.gradient(loss, x)


y, x_bar = map(strategy.experimental_local_results,
               tf.function(lambda: strategy.run(slope))())
print("y    ", *(each.numpy() for each in y))
print("x_bar", *(each.numpy() for each in x_bar))
with tf.GradientTape() as tape:
    tape.watch(logits)
    loss = tf.reduce_sum(weights * tf.reduce_logsumexp(logits))
print("one device", tape.gradient(loss, logits).numpy().tolist())
