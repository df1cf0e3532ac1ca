"""Deliberately wrong: the function captures a value that needs a gradient."""

import jax
import jax.numpy as jnp


def scaled(x, factor):
    @jax.custom_vjp
    def scale(x):
        return x * factor

    scale.defvjp(lambda x: (scale(x), None),
                 lambda _, upstream: (upstream * factor,))
    return scale(x)


x, factor = 3.0, 2.0
for function in scaled, jnp.multiply:
    try:
        gradients = jax.grad(function, argnums=(0, 1))(x, factor)
        print(f"{function.__name__:8}", *gradients)
    except jax.errors.UnexpectedTracerError as error:
        print(f"{function.__name__:8}", type(error).__name__)
