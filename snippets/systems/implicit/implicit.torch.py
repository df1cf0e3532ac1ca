"""An equilibrium layer: the gradient function solves a linear system."""

import torch


def iterate(W, x):
    """Repeat a step until only rounding errors change y."""
    end = 4.0 * torch.finfo(x.dtype).eps
    y = torch.tanh(x)
    for _ in range(1000):
        previous, y = y, torch.tanh(W @ y + x)
        if torch.max(torch.abs(y - previous)) <= end:
            return y
    raise RuntimeError("no convergence")


class Equilibrium(torch.autograd.Function):
    @staticmethod
    def forward(W, x):
        return iterate(W, x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        W, _ = inputs
        ctx.save_for_backward(W, output)

    @staticmethod
    def backward(ctx, upstream):
        W, y = ctx.saved_tensors
        A = torch.diag(1.0 / (1.0 - y * y)) - W
        w = torch.linalg.solve(A.T, upstream)
        print("upstream  ", upstream.numpy(force=True))
        print("local A   ", A.numpy(force=True))
        print("downstream", w.numpy(force=True), "for x")
        return torch.outer(w, y), w


W = torch.tensor([[0.5, -0.4], [0.3, 0.2]], requires_grad=True)
x = torch.tensor([0.2, 1.0], requires_grad=True)
y = Equilibrium.apply(W, x)
print("y             ", y.numpy(force=True))
print("tanh(W y + x) ", torch.tanh(W @ y + x).numpy(force=True))
downstream_W, downstream_x = torch.autograd.grad(
    y, [W, x], torch.tensor([1.0, 10.0]))
print("downstream_W  ", downstream_W.tolist())
print("downstream_x  ", downstream_x.numpy())
