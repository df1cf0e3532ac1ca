"""Deliberately wrong: two inputs, but one gradient."""

import jax


@jax.custom_vjp
def product(x, y):
    return x * y


def product_fwd(x, y):
    return product(x, y), (x, y)


def product_bwd(residuals, upstream):
    _, y = residuals
    return (upstream * y,)


product.defvjp(product_fwd, product_bwd)

x, y = 2.0, 3.0
try:
    jax.grad(product)(x, y)
except TypeError as error:
    print("TypeError:", error)
