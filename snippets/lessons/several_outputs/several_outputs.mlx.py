"""Two outputs, one gradient function: z = xy + sin x and w = y² at (2, 3)."""

import mlx.core as mx
import numpy as np


@mx.custom_function
def both(x, y):
    z = x * y + mx.sin(x)
    w = y * y
    print(f"forward  z = {z.item():.9g}  w = {w.item():.9g}")
    return z, w


@both.vjp
def both_vjp(primals, upstream, outputs):
    x, y = primals
    upstream_z, upstream_w = upstream
    # One row for each output, one column for each input.
    local = [[y + mx.cos(x), x],
             [mx.zeros_like(x), 2.0 * y]]
    downstream_x = upstream_z * local[0][0] + upstream_w * local[1][0]
    downstream_y = upstream_z * local[0][1] + upstream_w * local[1][1]
    print(f"backward upstream_z   = {upstream_z.item():.9g}"
          f"  upstream_w   = {upstream_w.item():.9g}")
    print("         local = [[{:.9g}, {:.9g}], [{:.9g}, {:.9g}]]"
          .format(*(each.item() for row in local for each in row)))
    print(f"         downstream_x = {downstream_x.item():.9g}"
          f"  downstream_y = {downstream_y.item():.9g}")
    return downstream_x, downstream_y


x, y = mx.array(2.0), mx.array(3.0)
dx, dy = mx.grad(lambda x, y: sum(both(x, y)), argnums=(0, 1))(x, y)
print("dL/dx =", np.array(dx), " y + cos x =", np.array(y + mx.cos(x)))
print("dL/dy =", np.array(dy), " x + 2y    =", np.array(x + 2.0 * y))
