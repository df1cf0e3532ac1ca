"""Deliberately wrong: None for an input that has a gradient."""

import jax
import jax.numpy as jnp


@jax.custom_vjp
def row_sums(s, x):
    return s * jnp.sum(x, axis=1)


def row_sums_fwd(s, x):
    return row_sums(s, x), (s, x)


def row_sums_bwd(residuals, upstream):
    s, x = residuals
    return None, s * upstream[:, None] * jnp.ones_like(x)


row_sums.defvjp(row_sums_fwd, row_sums_bwd)


def plain(s, x):
    return s * jnp.sum(x, axis=1)


def gradient_of_s(function, penalty):
    x = jnp.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

    def loss(s):
        y = function(s, x)
        return jnp.sum(y * jnp.array([1.0, 10.0])) + penalty * s**2

    return jax.grad(loss)(2.0)


print("with the penalty 3 s**2, custom:  ", gradient_of_s(row_sums, 3.0))
print("with the penalty 3 s**2, autodiff:", gradient_of_s(plain, 3.0))
