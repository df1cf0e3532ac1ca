"""One feature, two heads: the gradient from one of them is reversed."""

import torch

lambda_ = 0.5


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x.view_as(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, upstream):
        return -lambda_ * upstream


f, a, c = (torch.tensor(number, requires_grad=True)
           for number in (2.0, 3.0, 5.0))
q, r = a * f, c * Reverse.apply(f)
bars = q_bar, r_bar = torch.tensor(1.0), torch.tensor(10.0)
f_bar, a_bar, c_bar = torch.autograd.grad([q, r], [f, a, c], bars)
print("f_bar", f_bar.item(), " a_bar", a_bar.item(), " c_bar", c_bar.item())
