"""The square in Keras 3: one gradient function for three backends."""

import keras
from keras import ops


@ops.custom_gradient
def square(x):
    def grad(*args, upstream=None):
        if upstream is None:
            (upstream,) = args
        local = 2.0 * x
        return upstream * local

    return x * x, grad


def gradient(function, x):
    backend = keras.backend.backend()
    if backend == "tensorflow":
        import tensorflow as tf

        x = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)
    if backend == "jax":
        import jax

        return jax.grad(function)(x)

    import torch

    x = torch.tensor(x, requires_grad=True)
    return torch.autograd.grad(function(x), x)[0]


x = 2.0
chain = gradient(lambda x: square(square(square(x))), x)
print("dy/dx =", float(chain))
print("8 x**7 =", 8.0 * x**7)
