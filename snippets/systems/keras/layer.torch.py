"""A layer of signs with the derivative of tanh, in a model that trains."""

import torch


class SignFunction(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return torch.sign(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, upstream):
        (x,) = ctx.saved_tensors
        local = 1.0 - torch.tanh(x) ** 2
        downstream = upstream * local
        print("  x =", x.numpy(force=True),
              " upstream =", upstream.numpy(force=True))
        print("  local =", local.numpy(force=True),
              " downstream =", downstream.numpy(force=True))
        return downstream


class Sign(torch.nn.Module):
    def forward(self, x):
        return SignFunction.apply(x)


model = torch.nn.Sequential(torch.nn.Linear(1, 2, bias=False), Sign(),
                            torch.nn.Linear(2, 1, bias=False))
model.load_state_dict({"0.weight": torch.tensor([[0.5], [-1.0]]),
                       "2.weight": torch.tensor([[1.0, 1.0]])})
hidden, output = model.parameters()
x, t = torch.tensor([[1.0]]), torch.tensor([[1.0]])
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
print("eager")
y = model(x)
L = torch.mean((y - t) ** 2)
L.backward()
print("y", y.detach().numpy(), " L", L.item(), " gradient of the kernel",
      hidden.grad.T.numpy())
optimizer.step()
print("after a step of 0.1: hidden", hidden.detach()[:, 0].numpy(),
      " output", output.detach()[0].numpy())
