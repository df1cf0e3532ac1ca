"""Deliberately wrong: seven mistakes with an autograd.Function."""

import re

import torch


class Cube(torch.autograd.Function):
    """Has no setup_context, and its backward differentiates unrecorded y."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, upstream):
        (x,) = ctx.saved_tensors
        y = x ** 3
        return torch.autograd.grad(y, x, upstream)


class Unused(torch.autograd.Function):
    """Silences the error, so the gradient is silently None."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, upstream):
        (x,) = ctx.saved_tensors
        y = (x ** 3).requires_grad_()
        return torch.autograd.grad(y, x, upstream, allow_unused=True)


class Detached(torch.autograd.Function):
    """Differentiates a result of forward, which knows nothing of x."""

    @staticmethod
    def forward(ctx, x):
        ctx.copy = x.detach().requires_grad_()
        with torch.enable_grad():
            ctx.y = ctx.copy ** 3
        return ctx.y.detach()

    @staticmethod
    def backward(ctx, upstream):
        return torch.autograd.grad(
            ctx.y, ctx.copy, upstream, create_graph=True)


class Split(torch.autograd.Function):
    """Has setup_context, but no rule for vmap."""

    @staticmethod
    def forward(x):
        return x ** 3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, upstream):
        (x,) = ctx.saved_tensors
        return upstream * 3.0 * x ** 2


def twice(x):
    y = Split.apply(x)
    y.backward()
    y.backward()
    return x.grad


def filled(x):
    states = torch.ones(4, dtype=x.dtype)
    for i in range(1, 4):
        states[i] = torch.sigmoid(states[i - 1] * x)
    return torch.autograd.grad(torch.sum(states), x)


x = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
row = torch.tensor([1.0, 2.0])
for name, run in {
        "autograd.grad in backward": lambda: Cube.apply(x).backward(),
        "with allow_unused": lambda: Unused.apply(x).backward() or x.grad,
        "second derivative": lambda: torch.autograd.gradgradcheck(
            Detached.apply, x),
        "torch.func": lambda: torch.func.grad(Cube.apply)(row[1]),
        "vmap": lambda: torch.func.vmap(Split.apply)(row),
        "a tensor filled in a loop": lambda: filled(x),
        "backward twice": lambda: twice(x)}.items():
    try:
        print(f"{name}: {run()}")
    except Exception as error:
        message, *_ = re.split(r"\. |: \[| \(or|\n", str(error))
        print(f"{name}\n  {type(error).__name__}:", message.rstrip(","))
