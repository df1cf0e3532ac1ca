"""Round up or down at random: right on average, with the slope of the mean."""

import numpy as np
import torch


class RoundAtRandom(torch.autograd.Function):
    @staticmethod
    def forward(x, u):
        return torch.floor(x + u)

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, upstream):
        return upstream, None


noise = np.random.default_rng(0).random([10000, 3], np.float32)
x = torch.tensor([0.25, -1.5, 2.9], requires_grad=True)
u = torch.from_numpy(noise)
y = RoundAtRandom.apply(x.expand_as(u), u)
mean = torch.mean(y, dim=0)
L = torch.sum(mean * torch.tensor([1.0, 10.0, 100.0]))
L.backward()
print("three samples", y[:3].tolist())
print("mean         ", mean.detach().numpy().round(2))
print("dL/dx        ", x.grad.numpy().round(2))
