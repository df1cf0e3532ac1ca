"""LSQ: weights and activations of 3 bits whose steps are trained."""

import os
import tempfile

import keras
import numpy as np
import tensorflow as tf


# truth: the gradient of tf.identity
@tf.custom_gradient
def straight_round(v):
    return tf.round(v), lambda upstream: upstream


# truth: upstream becomes factor * upstream; factor needs no gradient
# truth: factor.shape == []
@tf.custom_gradient
def scale_gradient(s, factor):
    return tf.identity(s), lambda upstream: (factor * upstream, None)


def quantize(x, s, low, high, batch_axes):
    count = tf.reduce_prod(tf.shape(x)[batch_axes:])
    s = scale_gradient(s, tf.math.rsqrt(tf.cast(count * high, s.dtype)))
    v = tf.clip_by_value(x / s, low, high)
    return s * straight_round(v)


@keras.saving.register_keras_serializable("lsq")
class Quantizer(keras.layers.Layer):
    """Rounds to low, ..., high times a trained step, in float32."""

    calibrating = False  # while True, an eager call sets the step

    def __init__(self, low, high, batch_axes=1, **kwargs):
        super().__init__(**kwargs | {"dtype": "float32"})
        self.low, self.high, self.batch_axes = low, high, batch_axes

    def build(self, shape):
        self.step = self.add_weight(
            name="step", shape=(), initializer="ones",
            constraint=lambda s: tf.maximum(s, 1e-5))

    def call(self, x):
        if Quantizer.calibrating:
            size = tf.reduce_mean(tf.abs(x))
            self.step.assign(2 * size / self.high ** 0.5)
        s = tf.convert_to_tensor(self.step)
        return quantize(x, s, self.low, self.high, self.batch_axes)

    def get_config(self):
        return super().get_config() | {
            "low": self.low, "high": self.high, "batch_axes": self.batch_axes}


@keras.saving.register_keras_serializable("lsq")
class QuantizedDense(keras.layers.Layer):
    def __init__(self, units, bits=3, **kwargs):
        super().__init__(**kwargs)
        self.units, self.bits = units, bits
        high = 2 ** (bits - 1) - 1
        self.quantizer = Quantizer(-high, high, batch_axes=0)

    def build(self, shape):
        self.kernel = self.add_weight(
            shape=(shape[-1], self.units), autocast=False)
        self.bias = self.add_weight(shape=(self.units,), initializer="zeros")
        self.quantizer.build(self.kernel.shape)

    def call(self, x):
        w = self.quantizer(tf.convert_to_tensor(self.kernel))
        return x @ tf.cast(w, x.dtype) + tf.convert_to_tensor(self.bias)

    def get_config(self):
        return super().get_config() | {"units": self.units, "bits": self.bits}


def build():
    keras.utils.set_random_seed(1)
    layers = [keras.Input([2])]
    for _ in range(2):
        layers += [QuantizedDense(32), keras.layers.ReLU(), Quantizer(0, 7)]
    model = keras.Sequential(
        [*layers, QuantizedDense(1), keras.layers.Identity(dtype="float32")])
    Quantizer.calibrating = True
    model(x)  # the first batch: every step gets its initial value
    Quantizer.calibrating = False
    return model


def rings(seed, count):
    rng = np.random.default_rng(seed)
    radius, angle = rng.uniform(0.0, 1.2, count), rng.uniform(0, 7, count)
    x = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1)
    return x.astype("float32"), ((radius > 0.45) & (radius < 0.85))[:, None]


def report(name, model):
    inputs, ring = rings(2, 500)
    share = np.mean((model(inputs).numpy() > 0) == ring)
    print(f"{name:19} more than three quarters right: {share > 0.75}")


def fit(policy):
    keras.config.set_dtype_policy(policy)
    model, sgd = build(), keras.optimizers.SGD(0.1, momentum=0.9)
    model.compile(sgd, loss_of, jit_compile=False)  # starts faster
    model.fit(x, y, 100, epochs=40, shuffle=False, verbose=0)
    report(f"fit, {policy}", model)
    return model


x, y = rings(0, 600)
loss_of = keras.losses.BinaryCrossentropy(from_logits=True)
report("before", build())
fit("mixed_float16")
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.keras")
    fit("float32").save(path)
    loaded = keras.saving.load_model(path)
report("loaded", loaded)
layer = loaded.layers[3]
w, s = layer.kernel.numpy(), layer.quantizer.step.numpy()
codes = np.round(np.clip(w / s, -3, 3)).astype("int8")
print("int8 times the step is what the layer multiplies with:",
      np.array_equal(codes * s, layer.quantizer(w)))

model, optimizer = build(), keras.optimizers.SGD(0.1, momentum=0.9)
optimizer.build(model.trainable_variables)


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_of(y, model(x, training=True))
    weights = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))


for _ in range(40):
    for batch in tf.data.Dataset.from_tensor_slices((x, y)).batch(100):
        step(*batch)
report("a loop", model)
