"""y = x b: its gradient function sums over the axes on which b is copied."""

import torch


class Product(torch.autograd.Function):
    @staticmethod
    def forward(x, b):
        return x * b

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, upstream):
        x, b = ctx.saved_tensors
        downstream_x = (upstream * b).sum_to_size(x.shape)
        downstream_b = (upstream * x).sum_to_size(b.shape)
        print("backward upstream", list(upstream.shape), " local_b",
              list(x.shape), " downstream_b", list(downstream_b.shape))
        return downstream_x, downstream_b


def gradients(function, x, b):
    loss = torch.sum(weights * function(x, b))
    return [g.tolist() for g in torch.autograd.grad(loss, [x, b])]


x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
weights = torch.tensor([[1.0, 1.0, 1.0], [10.0, 10.0, 10.0]])
print("weights * x  =", (weights * x).tolist())
for b in ([2.0, 3.0, 4.0], [[2.0], [3.0]], 2.0):
    b = torch.tensor(b, requires_grad=True)
    dx, db = gradients(Product.apply, x, b)
    print("downstream_x =", dx)
    print("downstream_b =", db)
    print("autodiff     =", gradients(torch.mul, x, b)[1])
