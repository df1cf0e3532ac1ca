"""A callback and steps_per_execution: how often a factor is set."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


# truth: upstream becomes factor * upstream
# truth: factor needs no gradient; factor.shape == []
@tf.custom_gradient
def scale(x, factor):
    return tf.identity(x), lambda upstream: (factor * upstream, None)


class Scale(keras.layers.Layer):
    def build(self, shape):
        self.factor = self.add_weight(
            shape=(), initializer="zeros", trainable=False)

    def call(self, x):
        return scale(x, tf.convert_to_tensor(self.factor))


class Schedule(keras.callbacks.Callback):
    def __init__(self, layer):
        super().__init__()
        self.layer, self.batches = layer, []

    def on_train_batch_begin(self, batch, logs=None):
        self.batches.append(batch)
        self.layer.factor.assign(float(batch))


x, t = np.ones([4, 1]), np.zeros([4, 1])
for steps in 1, 2, 4:
    dense = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
    layer = Scale()
    model = keras.Sequential([keras.Input([1]), dense, layer])
    model.compile(
        keras.optimizers.SGD(0.125), "mse", steps_per_execution=steps)
    schedule = Schedule(layer)
    model.fit(x, t, batch_size=1, verbose=0, callbacks=[schedule])
    print(f"steps_per_execution {steps}: set in batches {schedule.batches}"
          f"  kernel {dense.kernel.numpy().item():.4f}")
