"""A layer of spiking neurons, trained in fit and in a loop."""

import os
import tempfile

import keras
import numpy as np
import tensorflow as tf


# truth: the gradient of tf.sigmoid((v - threshold) / width)
# truth: width = 0.5 + 0.0 * width; width needs no gradient
# truth: threshold.shape == v.shape[1:]; first derivative only
@tf.custom_gradient
def spike(v, threshold, width):
    """1 above the threshold; the surrogate is a sigmoid of this width."""
    u = (v - threshold) / width

    def grad(upstream):
        by_v = upstream * tf.sigmoid(u) * tf.sigmoid(-u) / width
        return by_v, -tf.reduce_sum(by_v, axis=0), None

    return tf.cast(u > 0, v.dtype), grad


def no_gradient(v, threshold, width):
    return tf.cast(v > threshold, v.dtype)


@keras.saving.register_keras_serializable("spiking")
class LIF(keras.layers.Layer):
    """A cell for keras.layers.RNN; its state is the membrane potential."""

    spike = staticmethod(spike)

    def __init__(self, units, leak=0.9, **kwargs):
        super().__init__(**kwargs)
        self.units, self.leak, self.state_size = units, leak, units

    def build(self, shape):
        self.kernel = self.add_weight(shape=(shape[-1], self.units))
        self.threshold = self.add_weight(
            shape=(self.units,), initializer="ones",
            constraint=lambda t: tf.maximum(t, 0.1))
        self.width = self.add_weight(
            shape=(), trainable=False,
            initializer=keras.initializers.Constant(0.3))

    def call(self, x, states):
        kernel, threshold, width = map(
            tf.convert_to_tensor, (self.kernel, self.threshold, self.width))
        v = self.leak * states[0] + x @ kernel
        s = self.spike(v, threshold, width)
        return s, [v - threshold * tf.stop_gradient(s)]  # soft reset

    def get_config(self):
        return super().get_config() | {"units": self.units, "leak": self.leak}


def build(function=spike):
    keras.utils.set_random_seed(0)
    cell = LIF(16)
    cell.spike = function
    return keras.Sequential([
        keras.Input([12, 2]), keras.layers.RNN(cell, return_sequences=True),
        keras.layers.GlobalAveragePooling1D(),  # how often each one spikes
        keras.layers.Dense(1, dtype="float32")])


rng = np.random.default_rng(0)  # which of two channels has its pulse first?
times = np.sort([rng.choice(9, 2, replace=False) for _ in range(256)], 1)
first = rng.integers(0, 2, 256)
x = np.zeros([256, 12, 2], "float32")
x[np.arange(256), times[:, 0], first] = 1
x[np.arange(256), times[:, 1], 1 - first] = 1
y = first[:, None].astype("float32")
loss_of = keras.losses.BinaryCrossentropy(from_logits=True)


def report(name, model):
    right = np.sum((model(x).numpy() > 0) == y)
    print(f"{name:26} loss {loss_of(y, model(x)):.1f}  right {right} of 256")


def fit(function):
    model = build(function)
    adam = keras.optimizers.Adam(0.1)
    model.compile(adam, loss_of, jit_compile=False)  # starts faster
    model.fit(x, y, 32, epochs=8, shuffle=False, verbose=0)
    policy = keras.config.dtype_policy().name
    report(f"fit, {function.__name__}, {policy}", model)
    return model


fit(no_gradient)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.keras")
    fit(spike).save(path)
    report("loaded", keras.saving.load_model(path))

model, optimizer = build(), keras.optimizers.Adam(0.1)
optimizer.build(model.trainable_variables)


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_of(y, model(x, training=True))
    weights = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))


for _ in range(8):
    for batch in tf.data.Dataset.from_tensor_slices((x, y)).batch(32):
        step(*batch)
report("a loop", model)
keras.config.set_dtype_policy("mixed_float16")
fit(spike)
