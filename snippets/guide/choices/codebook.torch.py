"""The nearest vector of a codebook, straight through."""

import torch


class Straight(torch.autograd.Function):
    @staticmethod
    def forward(z, e):
        return e.view_as(e)

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, upstream):
        return upstream, None


E = torch.tensor([[0.0, 0.0], [1.0, 1.0], [4.0, 0.0]], requires_grad=True)
z = torch.tensor([1.5, 0.5], requires_grad=True)
target = torch.tensor([2.0, 2.0])
e = E[torch.argmin(torch.sum((E - z) ** 2, dim=1))]
q = Straight.apply(z, e)
task = torch.sum((q - target) ** 2)
L = task + torch.sum((z.detach() - e) ** 2)
L += 0.25 * torch.sum((z - e.detach()) ** 2)
of_E, of_z = torch.autograd.grad(L, [E, z], retain_graph=True)
(task_of_z,) = torch.autograd.grad(task, z)
print("q       ", q.tolist())
print("E       ", of_E.tolist())
print("z       ", of_z.tolist())
print("task, z ", task_of_z.tolist())
