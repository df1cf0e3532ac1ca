"""None and 0.0 differ, and materialize_grads hides the difference."""

import torch

x = torch.tensor(3.0, requires_grad=True)
unused = torch.tensor(2.0, requires_grad=True)
# Without `unused`, no input of lost has a gradient, and grad raises an error.
lost = 5.0 * x.detach() + unused
flat = 0.0 * x
for name, y, source in (("unused", flat, unused), ("lost", lost, x),
                        ("flat", flat, x)):
    (gradient,) = torch.autograd.grad(
        y, source, retain_graph=True, allow_unused=True)
    (zero,) = torch.autograd.grad(
        y, source, retain_graph=True, materialize_grads=True)
    print(f"{name:7}{gradient}, with zero {zero}")
