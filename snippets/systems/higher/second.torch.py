"""The gradient function of the cube, and its own gradient function."""

import torch


class CubeGradient(torch.autograd.Function):
    @staticmethod
    def forward(x, u):
        z = 3.0 * x ** 2.0 * u
        print(f"grad  x = {x:g}  upstream = {u:g}"
              f"  local = {3.0 * x ** 2.0:g}  downstream = {z:g}")
        return z

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, upstream):
        x, u = ctx.saved_tensors
        downstream_x = upstream * 6.0 * x * u
        downstream_u = upstream * 3.0 * x ** 2.0
        print(f"gradient of grad  u = {u:g}  upstream = {upstream:g}"
              f"  downstream_x = {downstream_x:g}"
              f"  downstream_u = {downstream_u:g}")
        return downstream_x, downstream_u


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x ** 3.0

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, upstream):
        (x,) = ctx.saved_tensors
        return CubeGradient.apply(x, upstream)


x = torch.tensor(10.0, requires_grad=True)
L = 0.5 * (Cube.apply(x) - 5000.0) ** 2.0
(g,) = torch.autograd.grad(L, x, create_graph=True)
print(f"first derivative of the loss = {g:g}")
(second,) = torch.autograd.grad(g, x)
print(f"second derivative of the loss = {second:g}")
