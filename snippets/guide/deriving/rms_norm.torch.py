"""RMS normalization: the derived gradient, and what each way keeps."""

import torch

EPSILON = 1e-6


def plain(x, gamma):
    return gamma * x / torch.sqrt((x * x).mean(-1, True) + EPSILON)


class RMSNorm(torch.autograd.Function):
    @staticmethod
    def forward(x, gamma):
        return plain(x, gamma)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, upstream):
        x, gamma = ctx.saved_tensors
        s = torch.sqrt((x * x).mean(-1, True) + EPSILON)  # not kept
        r = x / s
        r_bar = upstream * gamma
        x_bar = (r_bar - r * (r_bar * r).mean(-1, True)) / s
        return x_bar, (upstream * r).sum_to_size(gamma.shape)


functions = {"plain": plain, "rms_norm": RMSNorm.apply}
torch.manual_seed(0)
x, upstream = torch.randn(2, 2, 3, 4, dtype=torch.float64)
gamma = torch.arange(1.0, 5.0, dtype=torch.float64)
inputs = x.requires_grad_(), gamma.requires_grad_()
gradients = [torch.autograd.grad(function(*inputs), inputs, upstream)
             for function in functions.values()]
for name, *pair in zip(("x", "gamma"), *gradients):
    error = torch.sub(*pair).abs().max()
    print(f"downstream {name}: agrees within 1e-12: {error < 1e-12}")
x, gamma = (torch.ones(*s, requires_grad=True) for s in ([64, 256], [256]))
for name, function in functions.items():
    kept = {}
    with torch.autograd.graph.saved_tensors_hooks(
            lambda t: kept.setdefault(t.data_ptr(), t), lambda t: t):
        y = function(x, gamma)
    size = sum(t.nbytes for t in kept.values()) - x.nbytes - gamma.nbytes
    print(f"{name:8} keeps {size / x.nbytes:.3f} times x")
