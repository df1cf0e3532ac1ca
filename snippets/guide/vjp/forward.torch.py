"""Rows backward, columns forward, and two inner products that agree."""

import numpy as np
import torch


class Pair(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return torch.stack([x[0] * x[1], x[1] * torch.sin(x[2])])

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, upstream):
        ((x1, x2, x3),), (u1, u2) = ctx.saved_tensors, upstream
        return torch.stack([u1 * x2, u1 * x1 + u2 * torch.sin(x3),
                            u2 * x2 * torch.cos(x3)])

    @staticmethod
    def jvp(ctx, dx):
        ((x1, x2, x3),), (dx1, dx2, dx3) = ctx.saved_tensors, dx
        return torch.stack([x2 * dx1 + x1 * dx2,
                            torch.sin(x3) * dx2 + x2 * torch.cos(x3) * dx3])


pair = Pair.apply
x, dx = torch.tensor([2.0, 3.0, 0.0]), torch.tensor([1.0, 10.0, 100.0])
upstream = torch.tensor([5.0, -1.0])
vjp = torch.func.vjp(pair, x)[1](upstream)[0]
print("VJP", upstream.numpy(), "->", vjp.numpy())
print("JVP", dx.numpy(), "->", torch.func.jvp(pair, (x,), (dx,))[1].numpy())

rng = np.random.default_rng(0)
for _ in range(3):
    x, dx, upstream = (torch.from_numpy(rng.normal(size=k)) for k in (3, 3, 2))
    h = 1e-6
    slope = (pair(x + h * dx) - pair(x - h * dx)) / (2 * h)
    J_dx = torch.func.jvp(pair, (x,), (dx,))[1]
    u_J = torch.func.vjp(pair, x)[1](upstream)[0]
    print(f"<u, differences> = {upstream @ slope:9.6f}"
          f"  <u, J dx> = {upstream @ J_dx:9.6f}  <u J, dx> = {u_J @ dx:9.6f}")
