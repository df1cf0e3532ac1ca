"""Recomputation in replicas: the gradients, and how often a block runs."""

# tracebook: alone

import keras
import tensorflow as tf

[cpu] = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(
    cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(
    [each.name for each in tf.config.list_logical_devices("CPU")])
with strategy.scope():
    w = tf.Variable(0.5)
runs = []
tf.get_logger().setLevel("ERROR")  # or it warns that eager is slow


def block(x):
    runs.append(1)
    return tf.sin(w * tf.sin(w * x))


def step(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(function(x))
    by_w, by_x = tape.gradient(loss, [w, x])
    replica = tf.distribute.get_replica_context()
    return replica.all_reduce("sum", by_w), by_x


parts = strategy.experimental_distribute_values_from_function(
    lambda context: [tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])][
        context.replica_id_in_sync_group])
for name, function in {
    "plain": block,
    "tf.recompute_grad": tf.recompute_grad(block),
    "keras.remat": keras.remat(block),
}.items():
    for mode in "eager", "graph":
        run = lambda x: strategy.run(step, args=(function, x))
        runs.clear()
        by_w, by_x = (tf.function(run) if mode == "graph" else run)(parts)
        by_w, *_ = strategy.experimental_local_results(by_w)
        by_x = tf.concat(strategy.experimental_local_results(by_x), 0)
        print(f"{name}, {mode}: dL/dw {by_w:.4f}  dL/dx"
              f" {by_x.numpy().round(4)}  the block ran {len(runs)} times")
x = tf.constant([1.0, 2.0, 3.0, 4.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    loss = tf.reduce_sum(block(x))
by_w, by_x = tape.gradient(loss, [w, x])
print(f"one device: dL/dw {by_w:.4f}  dL/dx {by_x.numpy().round(4)}")
