"""The gradient of a matrix has the shape of the matrix."""

import torch


class Dense(torch.autograd.Function):
    @staticmethod
    def forward(x, w):
        return x @ w

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, upstream):
        x, w = ctx.saved_tensors
        downstream_x = downstream_w = None
        if ctx.needs_input_grad[0]:
            downstream_x = upstream @ w.T
        if ctx.needs_input_grad[1]:
            downstream_w = x.T @ upstream
        return downstream_x, downstream_w


x = torch.ones(4, 3)
left = torch.ones(3, 1, requires_grad=True)
right = torch.ones(1, 2, requires_grad=True)
for name, function in (("custom", Dense.apply), ("autodiff", torch.matmul)):
    y = function(x, left @ right)
    gradients = torch.autograd.grad(y, [left, right], torch.ones_like(y))
    print(f"{name:8}", *[g.tolist() for g in gradients])
