"""An equilibrium layer: the gradient function solves a linear system."""

import jax
import jax.numpy as jnp


@jax.custom_vjp
def equilibrium(W, x):
    end = 4.0 * jnp.finfo(x.dtype).eps

    def changes(state):
        y, previous, steps = state
        return (jnp.max(jnp.abs(y - previous)) > end) & (steps < 1000)

    def step(state):
        y, _, steps = state
        return jnp.tanh(W @ y + x), y, steps + 1

    start = jnp.tanh(x), jnp.zeros_like(x), 0
    return jax.lax.while_loop(changes, step, start)[0]


def equilibrium_fwd(W, x):
    y = equilibrium(W, x)
    return y, (W, y)


def equilibrium_bwd(residuals, upstream):
    W, y = residuals
    A = jnp.diag(1.0 / (1.0 - y * y)) - W
    w = jnp.linalg.solve(A.T, upstream)
    jax.debug.print("upstream   {}\nlocal A    {}\ndownstream {} for x",
                    upstream, A, w)
    return jnp.outer(w, y), w


equilibrium.defvjp(equilibrium_fwd, equilibrium_bwd)

W = jnp.array([[0.5, -0.4], [0.3, 0.2]])
x = jnp.array([0.2, 1.0])
y, pullback = jax.vjp(equilibrium, W, x)
print("y             ", y)
print("tanh(W y + x) ", jnp.tanh(W @ y + x))
downstream_W, downstream_x = pullback(jnp.array([1.0, 10.0]))
print("downstream_W  ", downstream_W.tolist())
print("downstream_x  ", downstream_x)
