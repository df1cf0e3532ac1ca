"""The modulus of complex numbers, with a custom gradient and a step down."""

import torch


class Modulus(torch.autograd.Function):
    @staticmethod
    def forward(z):
        return torch.abs(z)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs, output)

    @staticmethod
    def backward(ctx, upstream):
        z, r = ctx.saved_tensors
        local = z / torch.where(r > 0.0, r, 1.0)
        return upstream * local


z = torch.tensor([3 + 4j, -1j, 0j], dtype=torch.complex128,
                 requires_grad=True)
weights = torch.tensor([1.0, 10.0, 100.0], dtype=torch.float64)
for name, function in (("custom", Modulus.apply), ("autodiff", torch.abs)):
    L = torch.sum(weights * function(z))
    (gradient,) = torch.autograd.grad(L, z)
    lower = torch.sum(weights * function(z - 0.01 * gradient))
    print(f"{name:8}  gradient {gradient.numpy().round(4) + 0}")
    print(f"{'':8}  L = {L:.4f}  after a step down {lower:.4f}")
