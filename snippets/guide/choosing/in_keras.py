"""keras.ops.custom_gradient: one gradient function for all its backends."""

import numpy as np
from tensorflow import keras


# truth: downstream becomes 0.1 * downstream
@keras.ops.custom_gradient
def tenth_of_gradient(x):
    def grad(*args, upstream=None):
        if upstream is None:
            (upstream,) = args
        return 0.1 * upstream
    return 1.0 * x, grad


class TenthOfGradient(keras.layers.Layer):
    def call(self, x):
        return tenth_of_gradient(x)


def trained(layers):
    model = keras.Sequential([
        keras.Input([1]),
        keras.layers.Dense(1, kernel_initializer="ones"), *layers])
    model.compile(keras.optimizers.SGD(0.1), "mse")
    model.fit(np.ones([1, 1]), np.zeros([1, 1]), verbose=0)
    return model.get_weights()[0].item()


print("backend:", keras.backend.backend())
print(f"kernel after a step, without the layer: {trained([]):.4f}")
print(f"kernel after a step, with it:           "
      f"{trained([TenthOfGradient()]):.4f}")
