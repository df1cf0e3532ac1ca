"""The gradient of a mean over a batch, from the gradients of its parts."""

# tracebook: alone

import tensorflow as tf

[cpu] = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(
    cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(
    [each.name for each in tf.config.list_logical_devices("CPU")])
with strategy.scope():
    w = tf.Variable(2.0)
batch = tf.constant([1.0, 2.0, 3.0, 6.0])


# truth: x.shape.rank == 1; w.shape == []
@tf.custom_gradient
def scaled(x, w):
    y = w * x

    def grad(upstream):
        x_bar = upstream * w
        w_bar = tf.reduce_sum(upstream * x)
        return x_bar, w_bar

    return y, grad


def slope(x, divisor):
    with tf.GradientTape() as tape:
        y = scaled(x, tf.convert_to_tensor(w))
        loss = tf.reduce_sum(y ** 2) / divisor
    return tape.gradient(loss, w)


@tf.function
def replicas(x, n):
    return strategy.run(slope, args=(x, n))


def added(sizes, divisors):
    parts = iter(tf.split(batch, sizes))
    x = strategy.experimental_distribute_values_from_function(
        lambda context: next(parts))
    n = strategy.experimental_distribute_values_from_function(
        lambda context: tf.constant(divisors)[
            context.replica_id_in_sync_group])
    return strategy.reduce("sum", replicas(x, n), axis=None)


print("one device        ", slope(batch, 4.0).numpy())
for sizes in [2, 2], [3, 1]:
    print(f"parts of {sizes[0]} and {sizes[1]}")
    print("  divided by 4    ", added(sizes, [4.0, 4.0]).numpy())
    print("  by its own size ",
          added(sizes, [1.0 * n for n in sizes]).numpy())
    print("  and by 2        ",
          added(sizes, [2.0 * n for n in sizes]).numpy())
