"""Straight-through gradients: of round, of a sign, and of a quantizer."""

import torch


class RoundThrough(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return torch.round(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, upstream):
        print("  upstream", upstream.numpy(force=True),
              " local 1  downstream", upstream.numpy(force=True))
        return upstream


class BinarizeThrough(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return torch.sign(torch.sign(x) + 0.5)  # 1 at 0; NaN stays NaN

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, upstream):
        return upstream


def quantize_through(x, step=0.25):
    return step * RoundThrough.apply(x / step)  # the two scalings cancel


def stop(x):
    return x + (torch.round(x) - x).detach()


x = torch.tensor([-1.7, -0.4, 0.5, 1.5, 2.2], requires_grad=True)
print("x =", x.detach().numpy())
for name, function in {
        "round": torch.round, "round_through": RoundThrough.apply,
        "stop": stop, "binarize_through": BinarizeThrough.apply,
        "quantize_through": quantize_through}.items():
    print(name)
    y = function(x)
    (gradient,) = torch.autograd.grad(0.5 * torch.sum((y - 1.0) ** 2), x)
    print("  y =", y.detach().numpy(), " dL/dx =", gradient.numpy())
