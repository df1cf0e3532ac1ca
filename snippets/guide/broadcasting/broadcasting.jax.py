"""y = x b: its gradient function sums over the axes on which b is copied."""

import jax
import jax.numpy as jnp


def unbroadcast(gradient, shape):
    """Sum over the axes that `shape` lacks or has with length 1."""
    padded = (1,) * (gradient.ndim - len(shape)) + shape
    copied = tuple(i for i, length in enumerate(padded) if length == 1)
    return jnp.sum(gradient, axis=copied).reshape(shape)


@jax.custom_vjp
def product(x, b):
    return x * b


def product_fwd(x, b):
    return product(x, b), (x, b)


def product_bwd(residuals, upstream):
    x, b = residuals
    downstream_x = unbroadcast(upstream * b, x.shape)
    downstream_b = unbroadcast(upstream * x, b.shape)
    print("backward upstream", upstream.shape, " local_b", x.shape,
          " downstream_b", downstream_b.shape)
    return downstream_x, downstream_b


product.defvjp(product_fwd, product_bwd)


def gradients(function, x, b):
    return [g.tolist() for g in jax.vjp(function, x, b)[1](weights)]


x = jnp.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
weights = jnp.array([[1.0, 1.0, 1.0], [10.0, 10.0, 10.0]])
print("weights * x  =", (weights * x).tolist())
for b in map(jnp.array, ([2.0, 3.0, 4.0], [[2.0], [3.0]], 2.0)):
    for name, gradient in zip("xb", gradients(product, x, b)):
        print(f"downstream_{name} =", gradient)
    print("autodiff     =", gradients(jnp.multiply, x, b)[1])
