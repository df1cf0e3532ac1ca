"""The upstream gradients of two outputs, for five losses."""

import jax
import jax.numpy as jnp


@jax.custom_vjp
def both(x, y):
    return x * y + jnp.sin(x), y * y


def both_fwd(x, y):
    return both(x, y), (x, y)


def both_bwd(residuals, upstream):
    x, y = residuals
    upstream_z, upstream_w = upstream
    jax.debug.print("  upstream_z = {:.9g}  upstream_w = {:.9g}",
                    upstream_z, upstream_w)
    downstream_x = upstream_z * (y + jnp.cos(x))
    downstream_y = upstream_z * x + upstream_w * 2.0 * y
    return downstream_x, downstream_y


both.defvjp(both_fwd, both_bwd)


def gradient(loss):
    dx, dy = jax.grad(lambda x, y: loss(*both(x, y)), (0, 1))(2.0, 3.0)
    print("  dL/dx =", dx, " dL/dy =", dy)


print("L = 2z + 5w")
gradient(lambda z, w: 2.0 * z + 5.0 * w)
print("L = z w")
gradient(lambda z, w: z * w)
print("L = z, and w is unused")
gradient(lambda z, w: z)
print("L = w, and z is unused")
gradient(lambda z, w: w)
print("L = z + stop_gradient(w)")
gradient(lambda z, w: z + jax.lax.stop_gradient(w))
