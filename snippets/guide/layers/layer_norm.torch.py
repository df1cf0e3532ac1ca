"""Layer normalization: the gradients for a batch of rows."""

import torch

torch.set_default_dtype(torch.float64)
EPSILON = 1e-3


def normalized(x):
    c = x - x.mean(-1, keepdim=True)
    s = torch.sqrt((c * c).mean(-1, keepdim=True) + EPSILON)
    return c / s, s


class LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(x, gamma, beta):
        return gamma * normalized(x)[0] + beta

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, gamma, _ = inputs
        ctx.save_for_backward(x, gamma)

    @staticmethod
    def backward(ctx, upstream):
        x, gamma = ctx.saved_tensors
        r, s = normalized(x)
        r_bar = upstream * gamma
        c_bar = (r_bar - r * (r_bar * r).mean(-1, keepdim=True)) / s
        downstream_x = c_bar - c_bar.mean(-1, keepdim=True)
        return downstream_x, (upstream * r).sum(0), upstream.sum(0)


inputs = [torch.tensor(numbers, requires_grad=True) for numbers in (
    [[1.0, 2.0, 6.0], [5.0, 5.0, 5.0]], [1.0, 2.0, 3.0], [0.0, 0.0, 1.0])]
upstream = torch.tensor([[1.0, 10.0, 100.0], [1.0, 2.0, 3.0]])
for name, function in (("layer_norm", LayerNorm.apply), (
        "plain", lambda x, gamma, beta: torch.nn.functional.layer_norm(
            x, [3], gamma, beta, EPSILON))):
    y = function(*inputs)
    print(f"{name}\n  y", y.detach().round(decimals=4).tolist())
    for name, each in zip(("x", "gamma", "beta"),
                          torch.autograd.grad(y, inputs, upstream)):
        print("  downstream", name, (each.round(decimals=4) + 0.0).tolist())
        if name == "x":
            sums = each.sum(dim=-1).round(decimals=6) + 0.0
            print("    its rows sum to", sums.tolist())
