"""A function of NumPy, with a gradient function in PyTorch."""

import numpy as np
import torch


class Sinc(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return torch.from_numpy(np.sinc(x.numpy(force=True))).to(x.device)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs, output)

    @staticmethod
    def backward(ctx, upstream):
        x, y = ctx.saved_tensors
        local = (torch.cos(np.pi * x) - y) / x
        downstream = upstream * local
        print("grad: upstream =", upstream.numpy(force=True),
              " local =", local.numpy(force=True))
        return downstream


x = torch.tensor([0.25, 0.5, 1.5], requires_grad=True)
y = Sinc.apply(x)
loss = torch.sum(y * y)
print("y          =", y.numpy(force=True))
loss.backward()
print("downstream =", x.grad.numpy())
