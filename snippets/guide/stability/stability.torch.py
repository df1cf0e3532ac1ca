"""log(1 + e^x) without overflow: softplus forward, sigmoid backward."""

import torch


class Softplus(torch.autograd.Function):
    @staticmethod
    def forward(x):
        y = x.clamp(min=0.0) + torch.log1p(torch.exp(-x.abs()))
        print(f"forward  x = {x:.9g}  y = {y:.9g}")
        return y

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, upstream):
        (x,) = ctx.saved_tensors
        local = torch.sigmoid(x)
        downstream = upstream * local
        print(f"backward x = {x:.9g}  upstream = {upstream:.9g}"
              f"  local = {local:.9g}  downstream = {downstream:.9g}")
        return downstream


for value in (-20.0, 0.0, 88.0, 100.0):
    x = torch.tensor(value, requires_grad=True)
    loss = 3.0 * Softplus.apply(x)
    (first,) = torch.autograd.grad(loss, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    print(f"x = {x:5.1f}  loss = {loss:.6g}  first = {first:.6g}"
          f"  second = {second:.3g}")
