"""Two outputs, one gradient function: z = xy + sin x and w = y² at (2, 3)."""

import jax
import jax.numpy as jnp


@jax.custom_vjp
def both(x, y):
    z = x * y + jnp.sin(x)
    w = y * y
    jax.debug.print("forward  z = {:.9g}  w = {:.9g}", z, w)
    return z, w


def both_fwd(x, y):
    return both(x, y), (x, y)


def both_bwd(residuals, upstream):
    x, y = residuals
    upstream_z, upstream_w = upstream
    # One row for each output, one column for each input.
    local = [[y + jnp.cos(x), x],
             [jnp.zeros_like(x), 2.0 * y]]
    downstream_x = upstream_z * local[0][0] + upstream_w * local[1][0]
    downstream_y = upstream_z * local[0][1] + upstream_w * local[1][1]
    jax.debug.print("backward upstream_z   = {:.9g}  upstream_w   = {:.9g}",
                    upstream_z, upstream_w)
    jax.debug.print("         local = [[{:.9g}, {:.9g}], [{:.9g}, {:.9g}]]",
                    *local[0], *local[1])
    jax.debug.print("         downstream_x = {:.9g}  downstream_y = {:.9g}",
                    downstream_x, downstream_y)
    return downstream_x, downstream_y


both.defvjp(both_fwd, both_bwd)

x, y = 2.0, 3.0
dx, dy = jax.grad(lambda x, y: sum(both(x, y)), argnums=(0, 1))(x, y)
print("dL/dx =", dx, " y + cos x =", y + jnp.cos(x))
print("dL/dy =", dy, " x + 2y    =", x + 2.0 * y)
