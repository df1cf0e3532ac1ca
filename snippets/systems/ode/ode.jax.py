"""Growth at a rate: bwd solves a second equation, backward in time."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


def rk4(f, state, T, steps=30):
    """The state after the time T, by the classical Runge-Kutta method."""
    h = T / steps
    for _ in range(steps):
        k1 = f(state)
        k2 = f(state + h / 2.0 * k1)
        k3 = f(state + h / 2.0 * k2)
        k4 = f(state + h * k3)
        state = state + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return state


@jax.custom_vjp
def grow(y_0, k):
    return rk4(lambda y: k * y, y_0, T)


def grow_fwd(y_0, k):
    y = grow(y_0, k)
    return y, (y, k)


def grow_bwd(residuals, upstream):
    y, k = residuals
    back, a, g = rk4(lambda s: jnp.array([k * s[0], -k * s[1], -s[1] * s[0]]),
                     jnp.array([y, upstream, 0.0]), -T)
    jax.debug.print("at the end    y = {:.17g}  a = {:g}", y, upstream)
    jax.debug.print("at the start  y = {:.17g}  a = {:.17g}  g = {:.17g}",
                    back, a, g)
    return a, g


grow.defvjp(grow_fwd, grow_bwd)
y_0, k, T = 3.0, 0.5, 2.0
a, g = jax.grad(lambda y_0, k: 10.0 * grow(y_0, k), argnums=(0, 1))(y_0, k)
print(f"downstream_y_0 = {a:.4f}  formula {10 * jnp.exp(k * T):.4f}")
print(f"downstream_k   = {g:.4f}  formula {10 * T * y_0 * jnp.exp(k * T):.4f}")
