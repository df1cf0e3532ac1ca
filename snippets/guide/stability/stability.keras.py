"""log(1 + e^x) without overflow: softplus forward, sigmoid backward."""

import keras
import numpy as np
from keras import ops


@ops.custom_gradient
def softplus(x):
    def grad(*args, upstream=None):
        if upstream is None:
            (upstream,) = args
        local = ops.sigmoid(x)
        return upstream * local

    return ops.maximum(x, 0.0) + ops.log1p(ops.exp(-ops.abs(x))), grad


class Softplus(keras.layers.Layer):
    def call(self, x):
        return softplus(x)


x = np.array([[-20.0, 0.0, 88.0, 100.0]])
dense = keras.layers.Dense(4, kernel_initializer="identity")
model = keras.Sequential([keras.Input([4]), dense, Softplus()])
model.compile(keras.optimizers.SGD(1.0), lambda _, y: 3.0 * ops.sum(y))
losses = 3.0 * model.predict(x, verbose=0)
model.fit(x, x, verbose=0)
first = -dense.get_weights()[1]  # the bias was 0
for value, loss, gradient in zip(x[0], losses[0], first):
    print(f"x = {value:5.1f}  loss = {loss:.6g}  first = {gradient:.6g}")
