"""The example of Keras's documentation, differentiated twice."""

import os

os.environ["KERAS_BACKEND"] = "torch"

import torch
from keras import ops


@ops.custom_gradient
def log1pexp(x):
    e = ops.exp(x)

    def grad(*args, upstream=None):
        if upstream is None:
            (upstream,) = args
        return ops.multiply(upstream, 1.0 - 1.0 / ops.add(1, e))

    return ops.log(1 + e), grad


@ops.custom_gradient
def recomputed(x):
    def grad(*args, upstream=None):
        if upstream is None:
            (upstream,) = args
        e = ops.exp(x)
        return ops.multiply(upstream, 1.0 - 1.0 / ops.add(1, e))

    return ops.log(1 + ops.exp(x)), grad


def second_derivative(function, x):
    (first,) = torch.autograd.grad(function(x), x, create_graph=True)
    return torch.autograd.grad(first, x)[0]


for name, softplus in (("captured", log1pexp), ("recomputed", recomputed)):
    x = torch.tensor(1.0, requires_grad=True)
    second = second_derivative(lambda x: softplus(x) + x**2, x)
    print(f"e {name:10}  second derivative {float(second):.4f}")
