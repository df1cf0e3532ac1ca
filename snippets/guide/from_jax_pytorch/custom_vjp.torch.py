"""The sine of x times y, as a torch.autograd.Function."""

import torch


class SineTimes(torch.autograd.Function):
    @staticmethod
    def forward(x, y):
        return torch.sin(x) * y

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, upstream):
        x, y = ctx.saved_tensors
        downstream_x = upstream * y * torch.cos(x)
        downstream_y = upstream * torch.sin(x)
        print(f"upstream {upstream:g}"
              f"  downstream {downstream_x:.9g} {downstream_y:.9g}")
        return downstream_x, downstream_y


x, y = (torch.tensor(number, requires_grad=True) for number in (2.0, 3.0))
for name, f in (("custom", SineTimes.apply),
                ("autodiff", lambda x, y: torch.sin(x) * y)):
    loss = 10.0 * f(x, y)
    gradients = torch.autograd.grad(loss, [x, y])
    print(f"{name:8}", *[f"{each:.4f}" for each in gradients])
