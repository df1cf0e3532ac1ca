"""Recomputed blocks with LoRA inside: peak memory, fit, and dropout."""

import gc
import math
import weakref

import keras
import numpy as np
import tensorflow as tf
from tensorflow.python.framework import op_callbacks

layers = keras.layers


class Recomputed(layers.Layer):
    """Runs a layer or model again in the backward pass."""

    def __init__(self, layer, **options):
        super().__init__(**options)
        self.layer = layer

    def call(self, x, training=None):
        return keras.remat(
            lambda x: self.layer(x, training=training))(x)


def build(wrap, rate=0.0):
    keras.utils.set_random_seed(0)
    x = inputs = keras.Input([32])
    for _ in range(6):
        block = keras.Sequential([
            keras.Input([32]), layers.LayerNormalization(),
            layers.Dense(128, "gelu"), layers.Dense(32),
            layers.Dropout(rate, seed=1)])
        for layer in block.layers[1:3]:
            layer.enable_lora(4, b_initializer="he_uniform")
        x = x + wrap(block)(x)
    model = keras.Model(inputs, x)
    for w in model.trainable_variables:
        w.trainable = w.name.startswith("lora")
    return model


def meter(op_type, inputs, attrs, outputs, op_name=None, graph=None):
    for output in outputs:
        size = math.prod(output.shape) * output.dtype.size
        count["bytes"] += size
        weakref.finalize(output, freed, size)
    if count["bytes"] > count["peak"]:
        gc.collect()  # frees tensors in reference cycles
        count["peak"] = max(count["peak"], count["bytes"])


def freed(size):
    count["bytes"] -= size


def gradients(model):
    gc.collect()
    gc.freeze()
    op_callbacks.add_op_callback(meter)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x, training=True)))
    found = tape.gradient(loss, [w.value for w in model.trainable_variables])
    op_callbacks.remove_op_callback(meter)
    return found


x = tf.random.stateless_normal([1024, 32], [1, 2])
for rate in 0.0, 0.5:
    found, fitted = [], []
    for name, wrap in ("plain", lambda block: block), ("remat", Recomputed):
        count = {"bytes": 0, "peak": 0}
        model = build(wrap, rate)
        found.append(gradients(model))
        print(f"dropout {rate}, {name}: peak {count['peak'] / 1e6:.1f} MB")
        model.compile(keras.optimizers.SGD(1e-3), "mse")
        model.fit(x, 0 * x, batch_size=1024, verbose=0)
        fitted.append([w.numpy() for w in model.trainable_variables])
    for way, (plain, remat) in {"loop": found, "fit": fitted}.items():
        print(f"  same in {way}:", all(
            np.allclose(a, b, atol=1e-4) for a, b in zip(plain, remat)))
