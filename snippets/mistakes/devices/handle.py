"""The tape is in the function that each replica runs."""

# tracebook: alone

import tensorflow as tf

[cpu] = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(
    cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(
    [each.name for each in tf.config.list_logical_devices("CPU")])
with strategy.scope():
    w = tf.Variable(2.0)


@tf.custom_gradient
def by_variables(x):
    def grad(upstream, variables=None):
        assert len(variables) == 1
        return upstream * w, [tf.reduce_sum(upstream * x)]

    return x * w, grad


# truth: w.shape == []
@tf.custom_gradient
def by_argument(x, w):
    def grad(upstream):
        return upstream * w, tf.reduce_sum(upstream * x)

    return x * w, grad


functions = {"variables=": by_variables,
             "argument": lambda x: by_argument(x, tf.convert_to_tensor(w)),
             "plain": lambda x: x * w}


@tf.function
def gradients(x):
    found = []
    for function in functions.values():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(function(x))
        found.append(tape.gradient(loss, w))
    return found


x = strategy.experimental_distribute_values_from_function(
    lambda context: tf.constant([1.0, 2.0]) + context.replica_id_in_sync_group)
for name, found in zip(functions, strategy.run(gradients, args=(x,))):
    print(f"{name:10}", *(
        each.numpy() for each in strategy.experimental_local_results(found)))
