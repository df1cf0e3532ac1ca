"""Deliberately wrong: a train_step clips gradients that are still scaled."""

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
        limit = tf.constant(0.5)
        gradients, norm = tf.clip_by_global_norm(gradients, limit)
        tf.print("  norm", norm, "limit", limit)
        self.optimizer.apply(gradients, weights)
        return {"loss": loss}


for policy in "float32", "mixed_float16":
    keras.config.set_dtype_policy(policy)
    inputs = keras.Input([1])
    dense = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
    model = Model(inputs, dense(inputs))
    model.compile(keras.optimizers.SGD(0.125), "mse")
    print(policy)
    model.fit(np.array([[1.0]]), np.array([[0.5]]), verbose=0)
    print(f"  kernel after a step {dense.kernel.numpy().item():.6f}")
