"""The value of sign, with the derivative of the sigmoid."""

import torch


class Sign(torch.autograd.Function):
    @staticmethod
    def forward(x):
        y = torch.sign(x)
        print(f"forward  x = {x:.9g}  y = {y:.9g}")
        return y

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, upstream):
        (x,) = ctx.saved_tensors
        y_tilde = torch.sigmoid(x)
        local = y_tilde * (1.0 - y_tilde)
        downstream = upstream * local
        print(f"backward x = {x:.9g}  upstream = {upstream:.9g}"
              f"  local = {local:.9g}  downstream = {downstream:.9g}")
        return downstream


for value in (3.0, 0.0):
    x = torch.tensor(value, requires_grad=True)

    y = Sign.apply(x)
    (gradient,) = torch.autograd.grad(y, x)
    print("alone:   gradient =", gradient.numpy())

    loss = 0.5 * (Sign.apply(x) + 1.0) ** 2
    (gradient,) = torch.autograd.grad(loss, x)
    print("in loss: loss =", loss.item(), " gradient =", gradient.numpy())
