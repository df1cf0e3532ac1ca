"""Deliberately wrong: bwd computes in float64 and doesn't cast back."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


@jax.custom_vjp
def row_sums(x):
    return 2.0 * jnp.sum(x, axis=1)


def row_sums_fwd(x):
    return row_sums(x), x


def row_sums_bwd(x, upstream):
    accurate = upstream.astype(jnp.float64)
    return (2.0 * accurate[:, None] * jnp.ones_like(x, jnp.float64),)


row_sums.defvjp(row_sums_fwd, row_sums_bwd)

x = jnp.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], jnp.float32)
print("x is", x.dtype)
print("alone: the gradient is",
      jax.grad(lambda x: jnp.sum(row_sums(x)))(x).dtype)
try:
    jax.grad(lambda x: jnp.sum(row_sums(jnp.sin(x))))(x)
except TypeError as error:
    print("after jnp.sin:")
    print("TypeError:", error)
