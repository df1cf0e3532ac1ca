"""Deliberately wrong: None for an input that has a gradient."""

import torch


class RowSums(torch.autograd.Function):
    @staticmethod
    def forward(s, x):
        return s * torch.sum(x, dim=1)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, upstream):
        s, x = ctx.saved_tensors
        return None, s * upstream[:, None] * torch.ones_like(x)


def plain(s, x):
    return s * torch.sum(x, dim=1)


def gradient_of_s(function, penalty):
    s = torch.tensor(2.0, requires_grad=True)
    x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
    y = function(s, x)
    loss = torch.sum(y * torch.tensor([1.0, 10.0])) + penalty * s**2
    loss.backward()
    return s.grad.item()


custom = gradient_of_s(RowSums.apply, 3.0)
print("with the penalty 3 s**2, custom:  ", custom)
print("with the penalty 3 s**2, autodiff:", gradient_of_s(plain, 3.0))
