"""Deliberately wrong: a scalar's gradient that keeps the broadcast shape."""

import jax
import jax.numpy as jnp


@jax.custom_vjp
def scale(a, x):
    return a * x


def scale_fwd(a, x):
    return scale(a, x), (a, x)


def scale_bwd(residuals, upstream):
    a, x = residuals
    return upstream * x, upstream * a


scale.defvjp(scale_fwd, scale_bwd)

a = jnp.array(2.0)
x = jnp.array([1.0, 2.0, 3.0])
right = jax.grad(lambda a: jnp.sum(a * x))(a)
print("plain: ", right, " shape", right.shape)
try:
    wrong = jax.grad(lambda a: jnp.sum(scale(a, x)))(a)
    print("custom:", wrong, " shape", wrong.shape)
except ValueError as error:
    print(type(error).__name__)
    print(" ", error)
