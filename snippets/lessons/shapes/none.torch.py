"""An integer input gets None: x to the power n, in two dtypes."""

import torch


class Power(torch.autograd.Function):
    @staticmethod
    def forward(x, n):
        return x ** n.to(x.dtype)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, upstream):
        x, n = ctx.saved_tensors
        exponent = n.to(x.dtype)
        local = exponent * x ** (exponent - 1)
        downstream = upstream * local
        print("  upstream = [{:g} {:g}]  local = [{:g} {:g}]"
              "  downstream = [{:g} {:g}]"
              .format(*upstream, *local, *downstream))
        return downstream, None


n = torch.tensor(3, dtype=torch.int32)
for dtype in (torch.float32, torch.float64):
    x = torch.tensor([1.0, 2.0], dtype=dtype, requires_grad=True)
    print(f"x is {x.dtype}, n is {n.dtype}")
    y = Power.apply(x, n)
    loss = torch.sum(y * torch.tensor([1, 10]))
    loss.backward()
    print("  gradient of x:", x.grad.numpy(), x.grad.dtype)
    print("  gradient of n:", n.grad)
