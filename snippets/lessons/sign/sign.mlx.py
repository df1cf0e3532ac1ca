"""The value of sign, with the derivative of the sigmoid."""

import mlx.core as mx
import numpy as np


@mx.custom_function
def sign(x):
    y = mx.sign(x)
    print(f"forward  x = {x.item():.9g}  y = {y.item():.9g}")
    return y


@sign.vjp
def sign_vjp(x, upstream, y):
    y_tilde = mx.sigmoid(x)
    local = y_tilde * (1.0 - y_tilde)
    downstream = upstream * local
    print(f"backward x = {x.item():.9g}  upstream = {upstream.item():.9g}"
          f"  local = {local.item():.9g}"
          f"  downstream = {downstream.item():.9g}")
    return downstream


def loss_of(x):
    return 0.5 * (sign(x) + 1.0) ** 2


for value in (3.0, 0.0):
    x = mx.array(value)
    print("alone:   gradient =", np.array(mx.grad(sign)(x)))
    loss, gradient = mx.value_and_grad(loss_of)(x)
    print("in loss: loss =", loss.item(), " gradient =", np.array(gradient))
