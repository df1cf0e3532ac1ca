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
        _, pullback = torch.func.vjp(ctx.function, *ctx.saved_tensors)
        return None, *pullback(upstream)


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
