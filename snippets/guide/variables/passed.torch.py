"""A dense layer whose parameters are passed as arguments."""

import torch


class DenseFunction(torch.autograd.Function):
    @staticmethod
    def forward(x, W, b):
        return x @ W + b

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, W, _ = inputs
        ctx.save_for_backward(x, W)

    @staticmethod
    def backward(ctx, upstream):
        x, W = ctx.saved_tensors
        of_x, of_W, of_b = ctx.needs_input_grad
        downstream_x = upstream @ W.T if of_x else None
        downstream_W = x.T @ upstream if of_W else None
        downstream_b = upstream.sum(dim=0) if of_b else None
        return downstream_x, downstream_W, downstream_b


class Dense(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.W = torch.nn.Parameter(
            torch.tensor([[1.0, -1.0], [2.0, 0.0], [0.0, 3.0]]))
        self.b = torch.nn.Parameter(torch.tensor([10.0, 20.0]))

    def forward(self, x):
        return DenseFunction.apply(x, self.W, self.b)


dense = Dense()
x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
weights = torch.tensor([[1.0, 0.0], [0.0, 10.0]])
loss = torch.sum(weights * dense(x))
loss.backward()
for symbol, parameter in dense.named_parameters():
    print(f"downstream {symbol} = {parameter.grad.tolist()}")
