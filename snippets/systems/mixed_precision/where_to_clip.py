"""Clip with the optimizer, or to a limit that is scaled like the loss."""

# tracebook: alone

import numpy as np
import tensorflow as tf
from tensorflow import keras


class Model(keras.Model):
    clips = False

    def train_step(self, data):
        x, t = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(x=x, y=t, y_pred=self(x, training=True))
            scaled = self.optimizer.scale_loss(loss)
        weights = self.trainable_variables
        gradients = tape.gradient(scaled, weights)
        if self.clips:
            limit = self.optimizer.scale_loss(tf.constant(0.5))
            gradients, norm = tf.clip_by_global_norm(gradients, limit)
            tf.print("  norm", norm, "limit", limit)
        self.optimizer.apply(gradients, weights)
        return {"loss": loss}


for policy in "float32", "mixed_float16":
    keras.config.set_dtype_policy(policy)
    for clips in False, True:
        inputs = keras.Input([1])
        dense = keras.layers.Dense(
            1, use_bias=False, kernel_initializer="ones")
        model = Model(inputs, dense(inputs))
        model.clips = clips
        sgd = keras.optimizers.SGD(
            0.125, global_clipnorm=None if clips else 0.5)
        model.compile(sgd, "mse")
        print(policy, "in train_step" if clips else "in the optimizer")
        model.fit(np.array([[1.0]]), np.array([[0.5]]), verbose=0)
        print(f"  kernel after a step {dense.kernel.numpy().item():.6f}")
