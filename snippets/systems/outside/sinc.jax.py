"""A function of NumPy, with a gradient function in JAX."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.custom_vjp
def sinc(x):
    result = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return jax.pure_callback(np.sinc, result, x, vmap_method="expand_dims")


def sinc_fwd(x):
    y = sinc(x)
    return y, (x, y)


def sinc_bwd(residuals, upstream):
    x, y = residuals
    local = (jnp.cos(np.pi * x) - y) / x
    downstream = upstream * local
    jax.debug.print("grad: upstream = {}  local = {}", upstream, local)
    return (downstream,)


sinc.defvjp(sinc_fwd, sinc_bwd)

x = jnp.array([0.25, 0.5, 1.5])
print("y          =", sinc(x))
print("downstream =", jax.grad(lambda x: jnp.sum(sinc(x) ** 2))(x))
