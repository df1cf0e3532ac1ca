"""Clip the gradient of x, and keep its value."""

import jax
import jax.numpy as jnp


@jax.custom_vjp
def clipped(x):
    return x


def clipped_fwd(x):
    return x, None


def clipped_bwd(_, upstream):
    return (jnp.clip(upstream, -1.0, 1.0),)


clipped.defvjp(clipped_fwd, clipped_bwd)


def identity(x):
    return x


x = jnp.array([0.2, 3.0])
for function in (identity, clipped):
    y = function(x)
    gradient = jax.grad(lambda x: jnp.sum(function(x) ** 2))(x)
    print(f"{function.__name__:8}  y = {y}  dL/dx = {gradient}")
