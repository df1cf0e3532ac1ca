"""scale_loss scales the loss, and apply divides by the scale."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


class Model(keras.Model):
    def train_step(self, data):
        x, t = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(x=x, y=t, y_pred=self(x, training=True))
            scaled = self.optimizer.scale_loss(loss)
        weights = self.trainable_variables
        gradients = tape.gradient(scaled, weights)
        self.optimizer.apply(gradients, weights)
        return {"loss": loss}


for wrap in lambda optimizer: optimizer, keras.optimizers.LossScaleOptimizer:
    inputs = keras.Input([1])
    dense = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
    model = Model(inputs, dense(inputs))
    model.compile(wrap(keras.optimizers.SGD(0.125)), "mse")
    model.fit(np.array([[1.0]]), np.array([[0.5]]), verbose=0)
    print(type(model.optimizer).__name__, dense.kernel.numpy().item())
