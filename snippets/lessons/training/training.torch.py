"""A parameter trains through sign with the gradient of a surrogate."""

import torch


class Sign(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return torch.sign(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, upstream):
        (x,) = ctx.saved_tensors
        y_tilde = torch.sigmoid(x)
        local = y_tilde * (1.0 - y_tilde)
        return upstream * local


x = torch.nn.Parameter(torch.tensor(-1.0))
optimizer = torch.optim.Adam([x], lr=0.1, eps=1e-7)

for step in range(100):
    optimizer.zero_grad()
    y = Sign.apply(x)
    loss = 0.5 * (y - 1.0) ** 2
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(f"step {step}  loss = {loss:g}  gradient = {x.grad:.9g}"
              f"  then x = {x.item():.3f}")
