"""Rows backward, columns forward, and two inner products that agree."""

import mlx.core as mx
import numpy as np


def plain(x):
    return mx.stack([x[0] * x[1], x[1] * mx.sin(x[2])])


pair = mx.custom_function(plain)


@pair.vjp
def pair_vjp(x, upstream, y):
    u1, u2 = upstream
    return mx.stack([u1 * x[1], u1 * x[0] + u2 * mx.sin(x[2]),
                     u2 * x[1] * mx.cos(x[2])])


@pair.jvp
def pair_jvp(x, dx):
    dy1 = x[1] * dx[0] + x[0] * dx[1]
    dy2 = mx.sin(x[2]) * dx[1] + x[1] * mx.cos(x[2]) * dx[2]
    return mx.stack([dy1, dy2])


def vjp(f, x, upstream):
    return mx.vjp(f, [x], [upstream])[1][0]


def jvp(f, x, dx):
    return mx.jvp(f, [x], [dx])[1][0]


x, dx = mx.array([2.0, 3.0, 0.0]), mx.array([1.0, 10.0, 100.0])
upstream = mx.array([5.0, -1.0])
print("VJP", np.array(upstream), "->", np.array(vjp(pair, x, upstream)))
print("JVP", np.array(dx), "->", np.array(jvp(pair, x, dx)))

rng = np.random.default_rng(0)
for _ in range(3):
    x, dx, upstream = (mx.array(rng.normal(size=k)) for k in (3, 3, 2))
    autodiff, J_dx = jvp(plain, x, dx), jvp(pair, x, dx)
    u_J = vjp(pair, x, upstream)
    print(f"<u, autodiff> = {mx.inner(upstream, autodiff).item():8.5f}"
          f"  <u, J dx> = {mx.inner(upstream, J_dx).item():8.5f}"
          f"  <u J, dx> = {mx.inner(u_J, dx).item():8.5f}")
