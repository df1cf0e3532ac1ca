"""Derivatives at a kink: eagerly, in a graph, under XLA."""

import tensorflow as tf

tf.get_logger().setLevel("ERROR")

nn = tf.nn
functions = {
    "relu": (nn.relu, 0.0), "relu6": (nn.relu6, 0.0),
    "relu6 at 6": (nn.relu6, 6.0), "leaky_relu": (nn.leaky_relu, 0.0),
    "elu": (nn.elu, 0.0), "selu": (nn.selu, 0.0),
    "softsign": (nn.softsign, 0.0), "abs": (tf.abs, 0.0),
    "sign": (tf.sign, 0.0),
    "maximum": (lambda x: tf.maximum(x, 0.0), 0.0),
    "minimum": (lambda x: tf.minimum(x, 0.0), 0.0),
    "clip_by_value": (lambda x: tf.clip_by_value(x, -1.0, 1.0), 1.0),
    "reduce_max": (lambda x: tf.reduce_max([x, 0.0 * x]), 0.0),
    "norm": (lambda x: tf.norm([x, 0.0 * x]), 0.0),
    "sqrt": (tf.sqrt, 0.0), "atan2": (lambda x: tf.atan2(x, 0.0), 0.0),
    "floor": (tf.floor, 1.0), "floormod": (lambda x: x % 1.0, 1.0),
}


def slope(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x, unconnected_gradients="zero")


graph = tf.function(slope, autograph=False)
compiled = tf.function(slope, autograph=False, jit_compile=True)
for name, (function, x) in functions.items():
    x = tf.constant(x)
    numbers = [float(run(function, x)) for run in (slope, graph, compiled)]
    differ = len({str(each) for each in numbers}) > 1
    print(f"{name:14}", *[f"{each:.4f}" for each in numbers],
          *["differ"] * differ)
