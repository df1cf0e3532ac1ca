"""once_differentiable: a second derivative raises an error."""

import torch
from torch.autograd.function import once_differentiable


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    @once_differentiable
    def backward(ctx, upstream):
        (x,) = ctx.saved_tensors
        return upstream * 3.0 * x * x


x = torch.tensor(2.0, requires_grad=True)
y = Cube.apply(x)
(first,) = torch.autograd.grad(y, x, create_graph=True)
print("first", first.item())
try:
    (second,) = torch.autograd.grad(first, x)
    print("second", second.item())
except RuntimeError as error:
    print("RuntimeError:", error)

# In a sum and in torch.func, the derivative is lost without an error.
(second,) = torch.autograd.grad(first + x, x)
print("of first + x:", second.item(), " right: 13.0")
second = torch.func.grad(torch.func.grad(Cube.apply))(x.detach())
print("torch.func:  ", second.item(), " right: 12.0")

# The error has its own message if upstream depends on x, as in y * y.
(first,) = torch.autograd.grad(y * y, x, create_graph=True)
try:
    first.backward()
except RuntimeError as error:
    print("RuntimeError:", error)
