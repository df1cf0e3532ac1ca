"""Deliberately wrong: two inputs, but one gradient."""

import torch


class Product(torch.autograd.Function):
    @staticmethod
    def forward(x, y):
        return x * y

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, upstream):
        _, y = ctx.saved_tensors
        return upstream * y


x = torch.tensor(2.0, requires_grad=True)
y = torch.tensor(3.0, requires_grad=True)
z = Product.apply(x, y)
try:
    torch.autograd.grad(z, x)
except RuntimeError as error:
    print("RuntimeError:", error)
