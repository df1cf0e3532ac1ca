"""LoRA beside a frozen 8-bit kernel, and what the backward pass costs."""

import math
import weakref

import keras
import numpy as np
import tensorflow as tf
from tensorflow.python.framework import op_callbacks


# truth: scale needs no gradient
@tf.custom_gradient
def frozen_matmul(x, codes, scale):
    """x @ (codes * scale), with a gradient for x alone."""
    def kernel(after):  # in a graph, not before it is needed
        with tf.control_dependencies([after]):
            return tf.cast(tf.identity(codes), scale.dtype) * scale

    def grad(upstream):
        again = kernel(upstream)
        return tf.matmul(upstream, again, transpose_b=True), None, None

    return tf.matmul(tf.stop_gradient(x), kernel(x)), grad


@keras.saving.register_keras_serializable()
class LoRA(keras.layers.Layer):
    """A dense layer with a frozen kernel in 8 bits, and two factors."""

    matmul = staticmethod(frozen_matmul)

    def __init__(self, units, activation=None, rank=4, **options):
        super().__init__(**options)
        self.units, self.rank = units, rank
        self.activation = keras.activations.get(activation)

    def build(self, shape):
        n, m, r, add = shape[-1], self.units, self.rank, self.add_weight
        self.codes = add([n, m], "zeros", "int8", trainable=False)
        self.scale = add([m], "ones", trainable=False)
        self.bias = add([m], "zeros", trainable=False)
        self.a = add([n, r], "he_uniform", "float32", name="lora_a")
        self.b = add([r, m], "zeros", "float32", name="lora_b")

    def call(self, x):
        scale = tf.convert_to_tensor(self.scale)
        y = self.matmul(x, tf.convert_to_tensor(self.codes), scale)
        a, b = tf.cast(self.a, x.dtype), tf.cast(self.b, x.dtype)
        return self.activation(y + self.bias + x @ a @ b)

    def get_config(self):
        activation = keras.activations.serialize(self.activation)
        return super().get_config() | {
            "units": self.units, "activation": activation, "rank": self.rank}


def adapt(layer):
    """For clone_model: each Dense becomes a LoRA, the rest is frozen."""
    if type(layer) is not keras.layers.Dense:
        for w in layer.trainable_variables:
            w.trainable = False
        return layer
    new = LoRA(layer.units, layer.activation,
               name=layer.name, dtype=layer.dtype_policy)
    new.build([None, layer.kernel.shape[0]])
    kernel = tf.cast(layer.kernel, tf.float32)
    scale = tf.reduce_max(abs(kernel), 0) / 127.0
    codes = tf.cast(tf.round(kernel / scale), tf.int8)
    new.codes.assign(codes)
    new.scale.assign(scale)
    if layer.use_bias:
        new.bias.assign(layer.bias)
    return new


def build():
    keras.utils.set_random_seed(0)
    return keras.Sequential([keras.Input([8, 64])] + [
        keras.layers.Dense(64, "gelu") for _ in range(4)])


def meter(op_type, inputs, attrs, outputs, op_name=None, graph=None):
    if "MatMul" in str(op_type):
        settings = dict(zip(attrs[::2], attrs[1::2]))
        first = settings.get("transpose_a", settings.get("adj_x"))
        inner = inputs[0].shape[-2 if first else -1]
        products.append(math.prod(outputs[0].shape) * inner)
    for made in outputs if "Read" not in str(op_type) else []:
        if made.shape == [64, 64] and made.dtype == tf.float32:
            kernels.append(weakref.ref(made))


def report(name, model):
    weights = [w.value for w in model.trainable_variables]
    op_callbacks.add_op_callback(meter)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x) - y))
    kept = sum(kernel() is not None for kernel in kernels)
    products.clear()
    gradients = tape.gradient(loss, weights)
    op_callbacks.remove_op_callback(meter)
    size = sum(
        np.size(w) * tf.as_dtype(w.dtype).size for w in model.variables)
    print(f"{name:15} {sum(map(np.size, gradients)):7} {size:7}"
          f" {sum(products) / 1e6:9.1f} {kept:5}")
    return gradients


products, kernels = [], []
x = tf.random.stateless_normal([16, 8, 64], [1, 2])
y = tf.roll(x, 1, axis=1)
print("                trained   bytes  products  kept")
full, with_lora = build(), build()
for layer in with_lora.layers:
    layer.enable_lora(4)
    layer.bias.trainable = False
report("all weights", full)
report("enable_lora", with_lora)
model = keras.models.clone_model(full, clone_function=adapt)
found = report("int8", model)
LoRA.matmul = staticmethod(  # the same by autodiff
    lambda x, codes, scale: x @ (tf.cast(codes, scale.dtype) * scale))
expected = report("int8, autodiff", model)
print("same gradients:", all(
    np.allclose(a, b, atol=1e-5) for a, b in zip(found, expected)))
