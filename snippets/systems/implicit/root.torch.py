"""Kepler's equation by Newton's method; backward gets its own output."""

import torch


def newton(x, k):
    """The y with y - k sin(y) = x, for 0 <= k < 1."""
    y = x + 0.85 * k * torch.sign(torch.sin(x))
    for _ in range(12):
        y = y - (y - k * torch.sin(y) - x) / (1.0 - k * torch.cos(y))
    return y


class Kepler(torch.autograd.Function):
    @staticmethod
    def forward(x, k):
        return newton(x, k)

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, k = inputs
        ctx.save_for_backward(output, k)

    @staticmethod
    def backward(ctx, upstream):
        y, k = ctx.saved_tensors
        w = upstream / (1.0 - k * torch.cos(y))
        return w, w * torch.sin(y)


x, k = (torch.tensor(number, dtype=torch.float64, requires_grad=True)
        for number in (1.0, 0.5))
y = Kepler.apply(x, k)
print(f"y = {y:.8f}  y - k sin(y) = {y - k * torch.sin(y):.8f}")
gradients = torch.autograd.grad(y, [x, k], create_graph=True)
h = 1e-4
for name, source, first, dx, dk in (("x", x, gradients[0], h, 0.0),
                                    ("k", k, gradients[1], 0.0, h)):
    plus, minus = (newton(x + s * dx, k + s * dk) for s in (1.0, -1.0))
    print(f"downstream_{name} = {first:.8f}"
          f"  differences = {(plus - minus) / (2 * h):.8f}")
    (second,) = torch.autograd.grad(first, source, retain_graph=True)
    print(f"  second       {second:.6f}"
          f"    differences = {(plus - 2 * y + minus) / h**2:.6f}")
