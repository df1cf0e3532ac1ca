"""torch.utils.checkpoint in a few lines, with a second derivative."""

import torch
import torch.utils.checkpoint


class Checkpoint(torch.autograd.Function):
    @staticmethod
    def forward(function, x):
        return function(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.function, x = inputs
        ctx.save_for_backward(x)

    @staticmethod
    def backward(ctx, upstream):
        (x,) = ctx.saved_tensors
        create_graph = torch.is_grad_enabled()
        with torch.enable_grad():
            copy = x.view_as(x)
            again = ctx.function(copy)
        return None, *torch.autograd.grad(
            again, copy, upstream, create_graph=create_graph)


def steps(x):
    for _ in range(8):
        x = torch.sin(x)
    return x


x = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
for name, function in {
        "plain": steps,
        "checkpoint": lambda x: Checkpoint.apply(steps, x),
        "torch's own": lambda x: torch.utils.checkpoint.checkpoint(
            steps, x, use_reentrant=False)}.items():
    loss = function(x) ** 2
    (slope,) = torch.autograd.grad(loss, x, create_graph=True)
    (second,) = torch.autograd.grad(slope, x)
    print(f"{name:14}  first {slope:.12f}  second {second:.12f}")
