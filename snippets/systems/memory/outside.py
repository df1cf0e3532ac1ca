"""Count the numbers that a tape outside a tf.function keeps."""

import math
import weakref

import tensorflow as tf
from tensorflow.python.framework import op_callbacks

count = {}


def freed(size):
    count["kept"] -= size


def meter(op_type, inputs, attrs, outputs, op_name=None, graph=None):
    for each in outputs if graph is None else []:
        count["kept"] += math.prod(each.shape)
        weakref.finalize(each, freed, math.prod(each.shape))


def checkpoint(function):
    @tf.custom_gradient
    def once(x):
        x = tf.identity(x)
        y = function(tf.stop_gradient(x))

        def grad(upstream):
            copy = tf.identity(x)
            with tf.GradientTape() as tape:
                tape.watch(copy)
                again = function(copy)
            return tape.gradient(again, copy, output_gradients=upstream)

        return y, grad

    return once


def steps(x):
    for _ in range(8):
        x = x + tf.sin(x)
    return x


x = tf.linspace(0.0, 1.0, 1000)
for name, function in {"plain": steps, "checkpoint": checkpoint(steps),
                       "recompute_grad": tf.recompute_grad(steps)}.items():
    outside = tf.function(function)
    op_callbacks.add_op_callback(meter)
    count["kept"] = 0
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = outside(x)
    kept = count["kept"]
    op_callbacks.remove_op_callback(meter)
    slope = tape.gradient(y, x)
    print(f"{name:14}  numbers kept {kept:5d}"
          f"  gradient {tf.reduce_sum(slope):.4f}")
    del tape, y
