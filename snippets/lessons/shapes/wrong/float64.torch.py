"""Deliberately wrong: backward computes in float64 and doesn't cast back."""

import torch


class RowSums(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return 2.0 * torch.sum(x, dim=1)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, upstream):
        (x,) = ctx.saved_tensors
        accurate = upstream.double()
        return 2.0 * accurate[:, None] * torch.ones_like(x).double()


x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
alone = torch.sum(RowSums.apply(x))
after_sin = torch.sum(RowSums.apply(torch.sin(x)))

print("x is", x.dtype)
print("alone: the gradient is", torch.autograd.grad(alone, x)[0].dtype)
print("after torch.sin: the gradient is",
      torch.autograd.grad(after_sin, x)[0].dtype)
