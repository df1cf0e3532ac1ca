"""The chain rule, printed step by step: y = f(f(f(x))) with f(x) = x²."""

import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(x):
        y = x * x
        print(f"forward  x = {x:.9g}  y = {y:.9g}")
        return y

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, upstream):
        (x,) = ctx.saved_tensors
        local = 2.0 * x
        downstream = upstream * local
        print(f"backward x = {x:.9g}  upstream = {upstream:.9g}"
              f"  local = {local:.9g}  downstream = {downstream:.9g}")
        return downstream


square = Square.apply
x = torch.tensor(2.0, requires_grad=True)
y = square(square(square(x)))
y.backward()

print("dy/dx =", x.grad.item())
print("8 x**7 =", (8.0 * x**7).item())
