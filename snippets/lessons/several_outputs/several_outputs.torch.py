"""Two outputs, one gradient function: z = xy + sin x and w = y² at (2, 3)."""

import torch


class Both(torch.autograd.Function):
    @staticmethod
    def forward(x, y):
        z = x * y + torch.sin(x)
        w = y * y
        print(f"forward  z = {z:.9g}  w = {w:.9g}")
        return z, w

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, upstream_z, upstream_w):
        x, y = ctx.saved_tensors
        # One row for each output, one column for each input.
        local = [[y + torch.cos(x), x],
                 [torch.zeros_like(x), 2.0 * y]]
        downstream_x = upstream_z * local[0][0] + upstream_w * local[1][0]
        downstream_y = upstream_z * local[0][1] + upstream_w * local[1][1]
        print(f"backward upstream_z   = {upstream_z:.9g}"
              f"  upstream_w   = {upstream_w:.9g}")
        print("         local = [[{:.9g}, {:.9g}], [{:.9g}, {:.9g}]]"
              .format(*local[0], *local[1]))
        print(f"         downstream_x = {downstream_x:.9g}"
              f"  downstream_y = {downstream_y:.9g}")
        return downstream_x, downstream_y


x, y = (torch.tensor(number, requires_grad=True) for number in (2.0, 3.0))
z, w = Both.apply(x, y)
loss = z + w
dx, dy = torch.autograd.grad(loss, [x, y])

with torch.no_grad():
    print("dL/dx =", dx.numpy(), " y + cos x =", (y + torch.cos(x)).numpy())
    print("dL/dy =", dy.numpy(), " x + 2y    =", (x + 2.0 * y).numpy())
