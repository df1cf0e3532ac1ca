"""Freeze some entries of a kernel: by zero gradients, and by a constraint."""

import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
x = keras.random.normal([64, 3])
frozen = np.array([[True, False], [False, False], [True, True]])


class Zeroed(keras.Sequential):
    """Sets the gradient of the frozen entries to 0."""

    def train_step(self, data):
        x, y = data
        kernel, bias = self.trainable_variables
        with tf.GradientTape() as tape:
            loss = self.compute_loss(x, y, self(x, training=True))
        of_kernel, of_bias = tape.gradient(loss, [kernel, bias])
        of_kernel = tf.where(frozen, 0.0, of_kernel)
        self.optimizer.apply([of_kernel, of_bias], [kernel, bias])
        return {"loss": loss}


for Model in Zeroed, keras.Sequential:
    for decay in None, 0.1:
        model = Model([keras.Input([3]), keras.layers.Dense(2)])
        kernel = model.layers[0].kernel
        start = kernel.numpy()
        if Model is keras.Sequential:
            kernel.constraint = lambda w: tf.where(frozen, start, w)
        model.compile(keras.optimizers.Adam(0.01, weight_decay=decay), "mse")
        model.fit(x, x[:, :2], epochs=20, verbose=0)
        moved = abs(kernel.numpy() - start)[frozen].max()
        name = "gradient 0" if Model is Zeroed else "constraint"
        print(f"{name}, weight decay {decay}: moved by {moved:.4f}")
