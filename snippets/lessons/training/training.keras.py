"""A weight trains through sign with the gradient of a surrogate."""

import keras
import numpy as np
from keras import ops


@ops.custom_gradient
def sign(x):
    def grad(*args, upstream=None):
        if upstream is None:
            (upstream,) = args
        y_tilde = ops.sigmoid(x)
        local = y_tilde * (1.0 - y_tilde)
        return upstream * local

    return ops.sign(x), grad


class Sign(keras.layers.Layer):
    def call(self, x):
        return sign(x)


class Adam(keras.optimizers.Adam):
    """Adam, which keeps the last gradient that it receives."""

    def build(self, variables):
        super().build(variables)
        [self.gradient] = self.add_optimizer_variables(variables, "gradient")

    def update_step(self, gradient, variable, learning_rate):
        self.assign(self.gradient, gradient)
        super().update_step(gradient, variable, learning_rate)


class Trace(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        if epoch % 10 == 0:
            gradient = ops.convert_to_numpy(self.model.optimizer.gradient)
            [x] = self.model.get_weights()
            print(f"step {epoch}  loss = {logs['loss']:g}"
                  f"  gradient = {gradient.item():.9g}"
                  f"  then x = {x.item():.3f}")


start = keras.initializers.Constant(-1.0)
dense = keras.layers.Dense(1, use_bias=False, kernel_initializer=start)
model = keras.Sequential([keras.Input([1]), dense, Sign()])
model.compile(Adam(0.1), lambda target, y: 0.5 * (y - target) ** 2)
model.fit(np.ones([1, 1]), np.ones([1, 1]), epochs=100, verbose=0,
          callbacks=[Trace()])
