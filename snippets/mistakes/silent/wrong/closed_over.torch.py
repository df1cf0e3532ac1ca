"""Deliberately wrong: the function captures a tensor that needs a gradient."""

import torch


def scaled(x, factor):
    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x * factor

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, upstream):
            return upstream * factor

    return Scale.apply(x)


x = torch.tensor(3.0, requires_grad=True)
factor = torch.tensor(2.0, requires_grad=True)
for name, function in ("scaled", scaled), ("multiply", torch.mul):
    y = function(x, factor)
    gradients = torch.autograd.grad(y, [x, factor], allow_unused=True)
    print(f"{name:8}", *[g if g is None else g.item() for g in gradients])
