"""The chain rule, printed step by step: y = f(f(f(x))) with f(x) = x²."""

import mlx.core as mx


@mx.custom_function
def square(x):
    y = x * x
    print(f"forward  x = {x.item():g}  y = {y.item():g}")
    return y


@square.vjp
def square_vjp(x, upstream, y):
    local = 2.0 * x
    downstream = upstream * local
    print(f"backward x = {x.item():g}  upstream = {upstream.item():g}"
          f"  local = {local.item():g}  downstream = {downstream.item():g}")
    return downstream


x = mx.array(2.0)
gradient = mx.grad(lambda x: square(square(square(x))))(x)

print("dy/dx =", gradient.item())
print("8 x**7 =", (8.0 * x**7).item())
