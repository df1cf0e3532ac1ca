"""The norm of each weight's gradient, from fit."""

import keras
import numpy as np
import tensorflow as tf


class WatchedAdam(keras.optimizers.Adam):
    """Keeps the norms of the last gradients, before clipping."""

    def build(self, variables):
        if not self.built:
            self.norms = [
                tf.Variable(0.0, trainable=False) for _ in variables]
        super().build(variables)

    def apply(self, grads, trainable_variables=None):
        for norm, gradient in zip(self.norms, grads):
            if gradient is not None:
                gradient = tf.convert_to_tensor(gradient)  # a sparse one, too
                norm.assign(tf.norm(tf.cast(gradient, tf.float32)))
        super().apply(grads, trainable_variables)


class PrintNorms(keras.callbacks.Callback):
    """Prints them after an epoch."""

    def on_train_begin(self, logs=None):
        optimizer = self.model.optimizer
        if not optimizer.built:
            optimizer.build(self.model.trainable_variables)

    def on_epoch_end(self, epoch, logs=None):
        optimizer = self.model.optimizer
        if isinstance(optimizer, keras.optimizers.LossScaleOptimizer):
            optimizer = optimizer.inner_optimizer
        print(f"epoch {epoch}: loss {logs['loss']:.4f}")
        weights = self.model.trainable_variables
        for weight, norm in zip(weights, optimizer.norms):
            print(f"  {weight.path:20} {norm.numpy():.2e}")


x = np.random.default_rng(0).normal(size=(256, 8)).astype("float32")
y = np.sin(x.sum(1, keepdims=True))
for policy in "float32", "mixed_float16":
    keras.utils.set_random_seed(0)
    keras.config.set_dtype_policy(policy)
    layers = [
        keras.layers.Dense(16, "sigmoid", use_bias=False, name=f"layer_{i}")
        for i in range(5)]
    output = keras.layers.Dense(1, dtype="float32", name="output")
    model = keras.Sequential([keras.Input([8]), *layers, output])
    model.compile(WatchedAdam(0.001, global_clipnorm=1.0), "mse")
    print(policy)
    model.fit(
        x, y, batch_size=64, epochs=1, verbose=0, callbacks=[PrintNorms()])
