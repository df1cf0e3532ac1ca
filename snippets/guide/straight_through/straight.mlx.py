"""Straight-through gradients: of round, of a sign, and of a quantizer."""

import mlx.core as mx
import numpy as np


@mx.custom_function
def round_through(x):
    return mx.round(x)


@round_through.vjp
def round_vjp(x, upstream, y):
    print("  upstream {0}  local 1  downstream {0}".format(np.array(upstream)))
    return upstream


@mx.custom_function
def binarize_through(x):
    return mx.sign(mx.sign(x) + 0.5)  # 1 at 0; NaN stays NaN


@binarize_through.vjp
def binarize_vjp(x, upstream, y):
    return upstream


def quantize_through(x, step=0.25):
    return step * round_through(x / step)  # the two scalings cancel


def stop(x):
    return x + mx.stop_gradient(mx.round(x) - x)


def loss(x, function):
    y = function(x)
    return 0.5 * mx.sum((y - 1.0) ** 2), y


x = mx.array([-1.7, -0.4, 0.5, 1.5, 2.2])
print("x =", np.array(x))
for name, function in {
        "round": mx.round, "round_through": round_through, "stop": stop,
        "binarize_through": binarize_through,
        "quantize_through": quantize_through}.items():
    print(name)
    (_, y), gradient = mx.value_and_grad(loss)(x, function)
    print("  y =", np.array(y), " dL/dx =", np.array(gradient))
