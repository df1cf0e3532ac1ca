"""Two outputs, one gradient function: z = xy + sin x and w = y² at (2, 3)."""

import keras
import numpy as np
from keras import ops


@ops.custom_gradient
def both(x, y):
    z = x * y + ops.sin(x)
    w = y * y

    def grad(*args, upstream=None):
        if upstream is None:
            (upstream,) = args
        upstream_z, upstream_w = ops.unstack(upstream)
        # One row for each output, one column for each input.
        local = [[y + ops.cos(x), x],
                 [ops.zeros_like(x), 2.0 * y]]
        downstream_x = upstream_z * local[0][0] + upstream_w * local[1][0]
        downstream_y = upstream_z * local[0][1] + upstream_w * local[1][1]
        return downstream_x, downstream_y

    return ops.stack([z, w]), grad  # one output, for PyTorch


class Both(keras.layers.Layer):
    def call(self, inputs):
        x, y = ops.unstack(inputs, axis=1)
        return ops.unstack(both(x, y))


inputs = keras.Input([2])
dense = keras.layers.Dense(2, kernel_initializer="identity")
z, w = Both()(dense(inputs))
model = keras.Model(inputs, z + w)
model.compile(keras.optimizers.SGD(1.0), lambda _, loss: loss)
x, y = 2.0, 3.0
model.fit(np.array([[x, y]]), np.zeros([1]), verbose=0)
dx, dy = -dense.get_weights()[1]  # the bias was 0
print("dL/dx =", dx, " y + cos x =", y + np.cos(np.float32(x)))
print("dL/dy =", dy, " x + 2y    =", x + 2.0 * y)
