"""What a gradient function gets in each replica, and how often it runs."""

# tracebook: alone

import threading

import tensorflow as tf

[cpu] = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(
    cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(
    [each.name for each in tf.config.list_logical_devices("CPU")])
with strategy.scope():
    w = tf.Variable(2.0)
threads = []
tf.get_logger().setLevel("ERROR")  # or it warns that eager is slow


@tf.custom_gradient
def scaled(x):
    def grad(upstream, variables):
        [variable] = variables
        threads.append(threading.get_ident())
        print("grad:", type(variable).__name__,
              "on", variable.device[-5:], " is w:", variable is w)
        return upstream * w, [tf.reduce_sum(upstream * x)]

    return x * w, grad


def slope(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(scaled(x))
    return tape.gradient(loss, w)


parts = strategy.experimental_distribute_values_from_function(
    lambda context: [tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])][
        context.replica_id_in_sync_group])
in_graph = tf.function(lambda parts: strategy.run(slope, args=(parts,)))
for name, run in {
    "eager": lambda parts: strategy.run(slope, args=(parts,)),
    "graph, first call": in_graph,
    "graph, second call": in_graph,
}.items():
    threads.clear()
    found = strategy.experimental_local_results(run(parts))
    print(f"{name}: grad ran {len(threads)} times, "
          f"in the main thread: {threading.get_ident() in threads}; "
          "gradients", *(each.numpy() for each in found))
