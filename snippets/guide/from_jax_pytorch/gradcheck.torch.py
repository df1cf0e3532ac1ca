"""gradcheck compares a Jacobian with finite differences."""

import torch


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, upstream):
        (x,) = ctx.saved_tensors
        return upstream * 3.0 * x * x


class Wrong(Cube):
    @staticmethod
    def backward(ctx, upstream):
        (x,) = ctx.saved_tensors
        return upstream * 2.0 * x * x


x = torch.tensor([-1.0, 0.5, 2.0], dtype=torch.float64, requires_grad=True)
for name, function in (("cube", Cube.apply), ("wrong", Wrong.apply)):
    passed = torch.autograd.gradcheck(function, x, raise_exception=False)
    print(f"{name:5}  gradcheck {passed}")

print("gradgradcheck", torch.autograd.gradgradcheck(Cube.apply, x))
