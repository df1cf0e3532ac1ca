"""Deliberately wrong: a train_step of Keras 2 under Keras 3."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


class Model(keras.Model):
    def train_step(self, data):
        x, t = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(x=x, y=t, y_pred=self(x, training=True))
            scaled = self.optimizer.get_scaled_loss(loss)
        weights = self.trainable_variables
        gradients = self.optimizer.get_unscaled_gradients(
            tape.gradient(scaled, weights))
        self.optimizer.apply_gradients(zip(gradients, weights))
        return {"loss": loss}


inputs = keras.Input([1])
dense = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
model = Model(inputs, dense(inputs))
optimizer = keras.mixed_precision.LossScaleOptimizer(
    keras.optimizers.SGD(0.125))
model.compile(optimizer, "mse", run_eagerly=True)
# tracebook: raises AttributeError
model.fit(np.array([[1.0]]), np.array([[0.5]]), verbose=0)
