"""Clip the gradient of x, and keep its value."""

import mlx.core as mx
import numpy as np


@mx.custom_function
def clipped(x):
    return x


@clipped.vjp
def clipped_vjp(x, upstream, y):
    return mx.clip(upstream, -1.0, 1.0)


def identity(x):
    return x


x = mx.array([0.2, 3.0])
for name, function in (("identity", identity), ("clipped", clipped)):
    y = function(x)
    gradient = mx.grad(lambda x: mx.sum(function(x) ** 2))(x)
    print(f"{name:8}  y = {np.array(y)}  dL/dx = {np.array(gradient)}")
