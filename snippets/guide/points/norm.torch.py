"""The 2-norm with a chosen gradient at 0, tested against the definition."""

import torch


class Norm(torch.autograd.Function):
    @staticmethod
    def forward(x, at_zero):
        return torch.sqrt(torch.sum(x * x))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs, output)

    @staticmethod
    def backward(ctx, upstream):
        x, at_zero, r = ctx.saved_tensors
        safe = torch.where(r > 0.0, r, 1.0)
        local = torch.where(r > 0.0, x / safe, at_zero)
        downstream = upstream * local
        print("  upstream {:g}  local [{:g} {:g}]  downstream [{:g} {:g}]"
              .format(upstream, *local, *downstream))
        return downstream, None


for at_zero in ([0.0, 0.0], [0.6, -0.8]):
    print("at 0:", at_zero)
    for x in ([3.0, 4.0], [0.0, 0.0]):
        x = torch.tensor(x, requires_grad=True)
        L = 10.0 * Norm.apply(x, torch.tensor(at_zero))
        L.backward()

print("the definition, |z| >= g z, at 100000 random z:")
z = torch.randn(100000, 2, generator=torch.Generator().manual_seed(1))
for g in ([0.0, 0.0], [0.6, -0.8], [0.6, 0.9]):
    below = z.norm(dim=1) - z @ torch.tensor(g) >= -1e-5
    print("  g =", g, f" its length {torch.tensor(g).norm():.4f}"
          "  a subgradient:", bool(below.all()))
