"""Deliberately wrong: a callback gets logs, but no gradients."""

# tracebook: raises AttributeError

import keras
import numpy as np


class Norms(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        weights = self.model.trainable_variables
        for gradient in self.model.optimizer.get_gradients(
            self.model.total_loss, weights
        ):
            print(np.linalg.norm(gradient))


model = keras.Sequential([keras.Input([1]), keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(np.ones([4, 1]), np.ones([4, 1]), verbose=0, callbacks=[Norms()])
