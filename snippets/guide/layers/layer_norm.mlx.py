"""Layer normalization: the gradients for a batch of rows."""

import mlx.core as mx
import numpy as np

EPSILON = 1e-3


def plain(x, gamma, beta):
    return mx.fast.layer_norm(x, gamma, beta, EPSILON)


layer_norm = mx.custom_function(plain)


@layer_norm.vjp
def layer_norm_vjp(primals, upstream, y):
    x, gamma, _ = primals
    s = mx.sqrt(x.var(-1, keepdims=True) + EPSILON)
    r = (x - x.mean(-1, keepdims=True)) / s
    r_bar = upstream * gamma
    c_bar = (r_bar - r * (r_bar * r).mean(-1, keepdims=True)) / s
    return (c_bar - c_bar.mean(-1, keepdims=True),
            (upstream * r).sum(axis=0), upstream.sum(axis=0))


def rounded(array):
    return (np.float64(array).round(3) + 0.0).tolist()


inputs = [mx.array(numbers) for numbers in (
    [[1.0, 2.0, 6.0], [5.0, 5.0, 5.0]], [1.0, 2.0, 3.0], [0.0, 0.0, 1.0])]
upstream = mx.array([[1.0, 10.0, 100.0], [1.0, 2.0, 3.0]])
for name, function in (("layer_norm", layer_norm), ("plain", plain)):
    (y,), gradients = mx.vjp(function, inputs, [upstream])
    print(f"{name}\n  y", rounded(y))
    for symbol, gradient in zip(("x", "gamma", "beta"), gradients):
        print("  downstream", symbol, rounded(gradient))
        if symbol == "x":
            print("    its rows sum to", rounded(gradient.sum(axis=-1)))
