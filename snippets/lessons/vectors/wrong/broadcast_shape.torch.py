"""Deliberately wrong: a scalar's gradient that keeps the broadcast shape."""

import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(a, x):
        return a * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, upstream):
        a, x = ctx.saved_tensors
        return upstream * x, upstream * a


a = torch.tensor(2.0, requires_grad=True)
x = torch.tensor([1.0, 2.0, 3.0])
(right,) = torch.autograd.grad(torch.sum(a * x), a)
(wrong,) = torch.autograd.grad(torch.sum(Scale.apply(a, x)), a)
print("plain: ", right.numpy(), " shape", tuple(right.shape))
# PyTorch sums a gradient over the axes that its input lacks.
print("custom:", wrong.numpy(), " shape", tuple(wrong.shape))
