"""One feature, two heads: the gradient from one of them is reversed."""

import keras
import numpy as np
from keras import ops


@ops.custom_gradient
def reverse(x, lambda_):
    def grad(*args, upstream=None):
        if upstream is None:
            (upstream,) = args
        return -lambda_ * upstream, None

    return ops.copy(x), grad


class Reverse(keras.layers.Layer):
    def __init__(self, lambda_, **kwargs):
        super().__init__(**kwargs)
        self.lambda_ = lambda_

    def call(self, x):
        return reverse(x, ops.convert_to_tensor(self.lambda_))


def scale(number):
    initializer = keras.initializers.Constant(number)
    return keras.layers.Dense(1, None, False, initializer)


inputs = keras.Input([1])
f = scale(2.0)(inputs)
q, r = scale(3.0)(f), scale(5.0)(Reverse(0.5)(f))
model = keras.Model(inputs, [q, r])
model.compile(keras.optimizers.SGD(1.0), [lambda _, y: y] * 2,
              loss_weights=[1.0, 10.0])
start = model.get_weights()
model.fit(np.ones([1, 1]), [np.zeros([1, 1])] * 2, verbose=0)
f_bar, a_bar, c_bar = np.subtract(start, model.get_weights()).ravel()
print("f_bar", f_bar, " a_bar", a_bar, " c_bar", c_bar)
