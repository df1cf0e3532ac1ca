"""The upstream gradients of two outputs, for five losses."""

import torch


class Both(torch.autograd.Function):
    @staticmethod
    def forward(x, y):
        return x * y + torch.sin(x), y * y

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, upstream_z, upstream_w):
        x, y = ctx.saved_tensors
        print(f"  upstream_z = {upstream_z:.9g}"
              f"  upstream_w = {upstream_w:.9g}")
        downstream_x = upstream_z * (y + torch.cos(x))
        downstream_y = upstream_z * x + upstream_w * 2.0 * y
        return downstream_x, downstream_y


def gradient(loss):
    x, y = (torch.tensor(number, requires_grad=True) for number in (2.0, 3.0))
    z, w = Both.apply(x, y)
    loss(z, w).backward()
    print("  dL/dx =", x.grad.numpy(), " dL/dy =", y.grad.numpy())


print("L = 2z + 5w")
gradient(lambda z, w: 2.0 * z + 5.0 * w)
print("L = z w")
gradient(lambda z, w: z * w)
print("L = z, and w is unused")
gradient(lambda z, w: z)
print("L = w, and z is unused")
gradient(lambda z, w: w)
print("L = z + stop_gradient(w)")
gradient(lambda z, w: z + w.detach())
