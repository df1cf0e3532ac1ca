"""How many activations does the tape keep for n inner steps?"""

# tracebook: alone

import gc
import math
import weakref

import keras
import tensorflow as tf
from tensorflow.python.framework import op_callbacks

keras.config.set_floatx("float64")
keras.utils.set_random_seed(0)
model = keras.Sequential([
    keras.Input([1]), keras.layers.Dense(32, "tanh"),
    keras.layers.Dense(32, "tanh"), keras.layers.Dense(1)])
x = tf.random.stateless_normal([100, 1], [1, 2], dtype="float64")
count = {"kept": 0}


def freed(size):
    count["kept"] -= size


def meter(op_type, inputs, attrs, outputs, op_name=None, graph=None):
    for each in outputs:
        size = math.prod(each.shape)
        if size > 32 * 32:  # larger than a weight
            count["kept"] += size
            weakref.finalize(each, freed, size)


def update(*weights):
    with tf.GradientTape() as tape:
        tape.watch(weights)
        z, _ = model.stateless_call(weights, [], x, training=True)
        loss = tf.reduce_mean(tf.square(z - tf.sin(x)))
    gradients = tape.gradient(loss, weights)
    return [w - 0.1 * g for w, g in zip(weights, gradients)]


def checkpoint(function):
    # truth: first derivative only; within 1e-3
    @tf.custom_gradient
    def once(*inputs):
        inputs = [tf.identity(x) for x in inputs]
        y = function(*[tf.stop_gradient(x) for x in inputs])

        def grad(*upstream):
            copies = [tf.identity(x) for x in inputs]
            with tf.GradientTape() as tape:
                tape.watch(copies)
                again = function(*copies)
            return tape.gradient(again, copies, output_gradients=upstream)

        return y, grad

    return once


start = [tf.convert_to_tensor(v) for v in model.trainable_variables]
for name, one_step in {
        "plain": update, "checkpoint": checkpoint(update)}.items():
    for n in 1, 2, 4, 8:
        gc.collect()
        op_callbacks.add_op_callback(meter)
        before = count["kept"]
        with tf.GradientTape() as tape:
            tape.watch(start)
            weights = start
            for _ in range(n):
                weights = one_step(*weights)
            norm = tf.add_n([tf.nn.l2_loss(w) for w in weights])
        gc.collect()
        kept = count["kept"] - before
        op_callbacks.remove_op_callback(meter)
        gradients = tape.gradient(norm, start)
        print(f"{name:10}  steps {n}  kept {kept:6d}"
              f"  gradient {tf.linalg.global_norm(gradients):.4f}")
