"""A trained weight goes into a custom gradient as ops.copy(self.w)."""

import keras
import numpy as np
from keras import ops


@ops.custom_gradient
def quarter(x, w):
    def grad(*args, upstream=None):
        if upstream is None:
            (upstream,) = args
        downstream_x = 0.25 * upstream * w
        downstream_w = ops.sum(0.25 * upstream * x)
        return downstream_x, downstream_w

    return x * w, grad


class Scale(keras.layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=(), initializer="ones")

    def call(self, x):
        return quarter(x, ops.copy(self.w))


x, target = np.full([1, 1], 1.0), np.full([1, 1], 0.5)
print("the derivative of the loss with respect to kernel and w is 1.0")
for policy in ("float32", "mixed_bfloat16", "mixed_float16"):
    for eager in (True, False):
        keras.config.set_dtype_policy(policy)
        dense = keras.layers.Dense(
            1, use_bias=False, kernel_initializer="ones")
        scale = Scale()
        model = keras.Sequential([keras.Input([1]), dense, scale])
        model.compile(keras.optimizers.SGD(1.0), "mse", run_eagerly=eager)
        model.fit(x, target, verbose=0)
        kernel, w = (1.0 - ops.convert_to_numpy(weight).item()
                     for weight in (dense.kernel, scale.w))
        print(f"{policy:14}  run_eagerly={eager!s:5}  steps {kernel} {w}")
