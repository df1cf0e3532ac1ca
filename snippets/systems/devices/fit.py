"""model.fit over a layer with a custom gradient: two replicas, one device."""

# tracebook: alone

import numpy as np
import tensorflow as tf
from tensorflow import keras

[cpu] = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(
    cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(
    [each.name for each in tf.config.list_logical_devices("CPU")])
x = np.random.default_rng(0).normal(size=(19, 3)).astype("float32")


class Scale(keras.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=shape[1:], initializer="ones")

    def call(self, x):
        # truth: w.shape == x.shape[1:]; x.shape.rank == 2
        @tf.custom_gradient
        def scaled(x, w):
            return x * w, lambda upstream: (
                upstream * w, tf.reduce_sum(upstream * x, 0))

        return scaled(x, tf.convert_to_tensor(self.w))


def fitted(strategy, x, epochs=5):
    with strategy.scope():
        model = keras.Sequential([keras.Input([3]), Scale()])
        model.compile(keras.optimizers.SGD(0.1, momentum=0.5), "mse")
    model.fit(x, 2 * x, batch_size=8, epochs=epochs, shuffle=False, verbose=0)
    return model.get_weights()[0]


one = tf.distribute.get_strategy()
for n in 16, 18, 17, 19:
    print(f"{n} examples: largest difference below 1e-6:",
          bool(np.max(np.abs(fitted(strategy, x[:n]) - fitted(one, x[:n])))
               < 1e-6))
print("two replicas", fitted(strategy, x[:17], 1))
print("one device  ", fitted(one, x[:17], 1))
