"""Deliberately wrong: backward forgets upstream. The checker finds it."""

import torch

from vjpcheck import GradientError
from vjpcheck.torch import check_grads


class Softplus(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return torch.nn.functional.softplus(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, upstream):
        (x,) = ctx.saved_tensors
        return upstream * torch.sigmoid(x)


class Forgetful(Softplus):
    @staticmethod
    def backward(ctx, upstream):
        (x,) = ctx.saved_tensors
        return torch.sigmoid(x)


x = torch.tensor([0.5, -2.0, 1.0], requires_grad=True)
result = check_grads(Softplus.apply, (x,), order=2, modes=["rev"])
print("right:", result.compared, "comparisons, order", result.order)
try:
    check_grads(Forgetful.apply, (x,), modes=["rev"])
except GradientError as error:
    print(error)
