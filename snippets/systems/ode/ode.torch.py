"""Growth at a rate: backward solves a second equation, backward in time."""

import torch


def rk4(f, state, T, steps=30):
    """The state after the time T, by the classical Runge-Kutta method."""
    h = T / steps
    for _ in range(steps):
        k1 = f(*state)
        k2 = f(*[s + h / 2.0 * k for s, k in zip(state, k1)])
        k3 = f(*[s + h / 2.0 * k for s, k in zip(state, k2)])
        k4 = f(*[s + h * k for s, k in zip(state, k3)])
        state = [s + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
                 for s, a, b, c, d in zip(state, k1, k2, k3, k4)]
    return state


class Grow(torch.autograd.Function):
    @staticmethod
    def forward(y_0, k):
        [y] = rk4(lambda y: [k * y], [y_0], T)
        return y

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, k = inputs
        ctx.save_for_backward(output, k)

    @staticmethod
    def backward(ctx, upstream):
        y, k = ctx.saved_tensors
        back, a, g = rk4(lambda y, a, g: [k * y, -k * a, -torch.sum(a * y)],
                         [y, upstream, torch.zeros_like(k)], -T)
        print(f"at the end    y = {y:.17g}  a = {upstream:g}")
        print(f"at the start  y = {back:.17g}  a = {a:.17g}  g = {g:.17g}")
        return a, g


T = 2.0
y_0 = torch.tensor(3.0, dtype=torch.float64, requires_grad=True)
k = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
loss = 10.0 * Grow.apply(y_0, k)
loss.backward()
print(f"downstream_y_0 = {y_0.grad:.4f}"
      f"  formula {10.0 * torch.exp(k * T):.4f}")
print(f"downstream_k   = {k.grad:.4f}"
      f"  formula {10.0 * T * y_0 * torch.exp(k * T):.4f}")
