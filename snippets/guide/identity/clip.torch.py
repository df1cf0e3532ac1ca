"""Clip the gradient of x, and keep its value."""

import torch


class Clipped(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x.view_as(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, upstream):
        return upstream.clamp(-1.0, 1.0)


def identity(x):
    return x


def clipped(x):
    return Clipped.apply(x)


for function in (identity, clipped):
    x = torch.tensor([0.2, 3.0], requires_grad=True)
    y = function(x)
    L = torch.sum(y * y)
    L.backward()
    print(f"{function.__name__:8}  y = {y.detach().numpy()}"
          f"  dL/dx = {x.grad.numpy()}")
