"""Forward mode through two functions that lack a jvp."""

import torch
from torch.autograd import forward_ad


class Clip(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x.view_as(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, upstream):
        return upstream.clamp(-0.5, 0.5)


class RoundThrough(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return torch.round(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, upstream):
        return upstream


def forward(function, x):
    try:
        with forward_ad.dual_level():
            y = function(forward_ad.make_dual(x, torch.ones_like(x)))
            return f"{forward_ad.unpack_dual(y).tangent:.2f}"
    except NotImplementedError as error:
        return type(error).__name__


x = torch.tensor(2.7, requires_grad=True)
for name, function in (("clip", Clip.apply),
                       ("round_through", RoundThrough.apply)):
    (gradient,) = torch.autograd.grad(function(x), x)
    print(f"{name:13}  reverse mode {gradient:.2f}"
          f"  forward mode {forward(function, x)}")
