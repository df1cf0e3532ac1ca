"""The mistakes with an autograd.Function, fixed in PyTorch."""

import torch


class Cube(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x ** 3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, upstream):
        (x,) = ctx.saved_tensors
        return upstream * 3.0 * x ** 2


class Differentiated(Cube):
    """Lets PyTorch differentiate the cube in backward."""

    @staticmethod
    def backward(ctx, upstream):
        _, pullback = torch.func.vjp(lambda x: x ** 3, *ctx.saved_tensors)
        return pullback(upstream)


def twice(x):
    y = Cube.apply(x)
    y.backward(retain_graph=True)
    y.backward()
    return x.grad


def listed(x):
    states = [torch.ones((), dtype=x.dtype)]
    for _ in range(3):
        states.append(torch.sigmoid(states[-1] * x))
    return torch.autograd.grad(torch.sum(torch.stack(states)), x)[0]


x = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
row = torch.tensor([1.0, 2.0])
for name, function in ("Cube", Cube.apply), ("Differentiated",
                                             Differentiated.apply):
    (first,) = torch.autograd.grad(function(x), x, create_graph=True)
    print(f"{name}: first {first:g}"
          f"  second {torch.autograd.grad(first, x)[0]:g}"
          f"  gradgradcheck {torch.autograd.gradgradcheck(function, x)}")
print("vmap:", torch.func.vmap(torch.func.grad(Cube.apply))(row).numpy())
print(f"a list: {listed(x):.4f}")
print(f"backward twice: {twice(x):g}")
