"""Kepler's equation by Newton's method; the rule calls kepler again."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


def newton(x, k):
    """The y with y - k sin(y) = x, for 0 <= k < 1."""
    def step(_, y):
        return y - (y - k * jnp.sin(y) - x) / (1.0 - k * jnp.cos(y))

    return jax.lax.fori_loop(
        0, 12, step, x + 0.85 * k * jnp.sign(jnp.sin(x)))


kepler = jax.custom_vjp(newton)


def kepler_fwd(x, k):
    y = kepler(x, k)
    return y, (y, k)


def kepler_bwd(residuals, upstream):
    y, k = residuals
    w = upstream / (1.0 - k * jnp.cos(y))
    return w, w * jnp.sin(y)


kepler.defvjp(kepler_fwd, kepler_bwd)

x, k = 1.0, 0.5
y = kepler(x, k)
print(f"y = {y:.8f}  y - k sin(y) = {y - k * jnp.sin(y):.8f}")
h = 1e-4
for n, (name, dx, dk) in enumerate((("x", h, 0.0), ("k", 0.0, h))):
    first = jax.grad(kepler, argnums=n)
    plus, minus = (newton(x + s * dx, k + s * dk) for s in (1.0, -1.0))
    print(f"downstream_{name} = {first(x, k):.8f}"
          f"  differences = {(plus - minus) / (2 * h):.8f}")
    print(f"  second       {jax.grad(first, argnums=n)(x, k):.6f}"
          f"    differences = {(plus - 2 * y + minus) / h**2:.6f}")
