"""Deliberately wrong: the tape is around strategy.run."""

# tracebook: alone

import tensorflow as tf

[cpu] = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(
    cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(
    [each.name for each in tf.config.list_logical_devices("CPU")])
with strategy.scope():
    w = tf.Variable(2.0)


# truth: the rule is right; w.shape == []; x.shape == []
@tf.custom_gradient
def scaled(x, w):
    return x * w, lambda upstream: (upstream * w, upstream * x)


@tf.function
def total(parts):
    losses = strategy.run(
        lambda x: scaled(x, tf.convert_to_tensor(w)), args=(parts,))
    return strategy.reduce("sum", losses, axis=None)


parts = strategy.experimental_distribute_values_from_function(
    lambda context: tf.constant([3.0, 7.0])[
        context.replica_id_in_sync_group])
with tf.GradientTape(persistent=True) as tape:
    loss = total(parts)
print("gradient for w         ", tape.gradient(loss, w).numpy(),
      " by hand", 3.0 + 7.0)
print("for its copies         ",
      *(each.numpy() for each in tape.gradient(loss, w.values)))
