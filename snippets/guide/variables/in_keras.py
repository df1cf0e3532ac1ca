"""A Keras layer with a custom gradient: the weight is passed as a tensor."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


# truth: x.shape[1:] == w.shape
@tf.custom_gradient
def scaled(x, w):
    def grad(upstream):
        tf.print("backward upstream", upstream.dtype.name, " w",
                 w.dtype.name)
        return upstream * w, tf.reduce_sum(upstream * x, axis=0)

    return x * w, grad


class Scale(keras.layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=shape[-1:], initializer="ones")

    def call(self, x):
        return scaled(x, tf.convert_to_tensor(self.w))


x = np.array([[1.0, 2.0], [3.0, 4.0]], "float32") / 8.0
for dtype in ("float32", "mixed_float16"):
    model = keras.Sequential([keras.Input([2]), Scale(dtype=dtype)])
    model.compile(keras.optimizers.SGD(1.0), "mse")
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.cast(model(x), tf.float32))
    [gradient] = tape.gradient(loss, model.trainable_variables)
    model.fit(x, 0.0 * x, shuffle=False, verbose=0)
    print(f"{dtype:13} gradient {gradient.numpy()} {gradient.dtype.name}"
          f"  weight after fit {model.get_weights()[0]}")
