"""Where the operations of a gradient function run."""

# tracebook: alone

import tensorflow as tf

[cpu] = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(
    cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(
    [each.name for each in tf.config.list_logical_devices("CPU")])
_, other = strategy.extended.worker_devices


@tf.custom_gradient
def square(x):
    def grad(upstream):
        local = 2 * x
        print("  grad on", local.device[-5:] or "no device")
        return upstream * local

    return x * x, grad


@tf.custom_gradient
def placed(x):
    def grad(upstream):
        with tf.device(other):
            local = 2 * x
        print("  grad on", local.device[-5:])
        return upstream * local

    return x * x, grad


def slope(function, forward, back):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tf.device(forward):
            y = function(x)
    with tf.device(back):
        return tape.gradient(y, x)


def both(*arguments):
    slope(*arguments)
    tf.function(lambda: slope(*arguments))()


print(f"forward on {other[-5:]}: eager, graph")
both(square, other, None)
print(f"tape.gradient on {other[-5:]}: eager, graph")
both(square, None, other)
print("tf.device in grad: eager, graph")
both(placed, None, None)
print("in each replica, in a graph")


def replica():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = square(x)
    return tape.gradient(y, x)


tf.function(lambda: strategy.run(replica))()
