"""A custom train_step scales the loss before it computes the gradients."""

# tracebook: alone

import numpy as np
import tensorflow as tf
from tensorflow import keras


# truth: the gradient of tf.tanh; abs(x) < 2
@tf.custom_gradient
def sign(x):
    return tf.sign(x), lambda upstream: upstream * (1.0 - tf.tanh(x) ** 2)


class Sign(keras.layers.Layer):
    def call(self, x):
        return sign(x)


class Model(keras.Model):
    def train_step(self, data):
        x, t = data
        with tf.GradientTape() as tape:
            y = self(x, training=True)
            loss = self.compute_loss(x=x, y=t, y_pred=y)
            scaled = self.optimizer.scale_loss(loss)
        weights = self.trainable_variables
        self.optimizer.apply(tape.gradient(scaled, weights), weights)
        return {"loss": loss}


x, t = np.array([[1.0]]), np.array([[0.5]])
for policy in "float32", "mixed_float16":
    keras.config.set_dtype_policy(policy)
    inputs = keras.Input([1])
    dense = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
    model = Model(inputs, Sign()(dense(inputs)))
    model.compile(keras.optimizers.SGD(0.125), "mse")
    model.fit(x, t, verbose=0)
    print(f"{policy:13}  kernel after a step"
          f" {dense.kernel.numpy().item():.6f}")
