"""log(1 + e^x) without overflow: softplus forward, sigmoid backward."""

import mlx.core as mx


@mx.custom_function
def softplus(x):
    y = mx.maximum(x, 0.0) + mx.log1p(mx.exp(-mx.abs(x)))
    print(f"forward  x = {x.item():.9g}  y = {y.item():.9g}")
    return y


@softplus.vjp
def softplus_vjp(x, upstream, y):
    local = mx.sigmoid(x)
    downstream = upstream * local
    print(f"backward x = {x.item():.9g}  upstream = {upstream.item():.9g}"
          f"  local = {local.item():.9g}"
          f"  downstream = {downstream.item():.9g}")
    return downstream


def first_derivative(x):
    loss, first = mx.value_and_grad(lambda x: 3.0 * softplus(x))(x)
    return first, loss


for value in (-20.0, 0.0, 88.0, 100.0):
    x = mx.array(value)
    (first, loss), second = mx.value_and_grad(first_derivative)(x)
    print(f"x = {value:5.1f}  loss = {loss.item():.6g}"
          f"  first = {first.item():.6g}  second = {second.item():.3g}")
