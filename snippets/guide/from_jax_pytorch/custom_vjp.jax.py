"""jax.custom_vjp: fwd saves the residuals, bwd returns the gradients."""

import jax
import jax.numpy as jnp


@jax.custom_vjp
def function(x, y):
    return jnp.sin(x) * y


def fwd(x, y):
    return function(x, y), (jnp.cos(x), jnp.sin(x), y)


def bwd(residuals, upstream):
    cos_x, sin_x, y = residuals
    downstream_x = upstream * y * cos_x
    downstream_y = upstream * sin_x
    jax.debug.print("upstream {:g}  downstream {:.9g} {:.9g}",
                    upstream, downstream_x, downstream_y)
    return downstream_x, downstream_y


function.defvjp(fwd, bwd)


def plain(x, y):
    return jnp.sin(x) * y


x, y = 2.0, 3.0
for name, f in (("custom", function), ("autodiff", plain)):
    gradients = jax.grad(lambda x, y: 10.0 * f(x, y), argnums=(0, 1))(x, y)
    print(f"{name:8}", *[f"{each:.4f}" for each in gradients])
