"""A layer that returns an energy and its forces, trained on both."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
layers = keras.layers


class Forces(layers.Layer):
    """Returns energy(x) and the force, minus its gradient."""

    def __init__(self, energy, **kwargs):
        super().__init__(**kwargs)
        self.energy = energy

    def build(self, shape):
        self.energy.build(shape)

    def call(self, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            energy = self.energy(x)
        return energy, -tape.gradient(energy, x)


x = keras.random.normal([256, 3])
energies = tf.reduce_sum(x**2, axis=1, keepdims=True) / 2.0  # a spring
energy = keras.Sequential([layers.Dense(64, "swish"), layers.Dense(1)])
inputs = keras.Input([3])
model = keras.Model(inputs, Forces(energy)(inputs))
model.compile(keras.optimizers.Adam(0.01), ["mse", "mse"])
epochs = [tf.tile(each, [150, 1]) for each in (x, energies, -x)]
model.fit(epochs[0], epochs[1:], verbose=0)  # faster than epochs=150
e, force = model.predict(tf.constant([[1.0, 0.0, -1.0]]), verbose=0)
print("energy", e.round(1), " force", force.round(1))
