"""Rows backward, columns forward, and two inner products that agree."""

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)


@jax.custom_jvp
def pair(x):
    return jnp.stack([x[0] * x[1], x[1] * jnp.sin(x[2])])


@pair.defjvp
def pair_jvp(primals, tangents):
    (x,), (dx,) = primals, tangents
    dy1 = x[1] * dx[0] + x[0] * dx[1]
    dy2 = jnp.sin(x[2]) * dx[1] + x[1] * jnp.cos(x[2]) * dx[2]
    return pair(x), jnp.stack([dy1, dy2])


def vjp(f, x, upstream):
    _, pullback = jax.vjp(f, x)
    return pullback(upstream)[0]


def jvp(f, x, dx):
    return jax.jvp(f, (x,), (dx,))[1]


x, dx = jnp.array([2.0, 3.0, 0.0]), jnp.array([1.0, 10.0, 100.0])
upstream = jnp.array([5.0, -1.0])
print("VJP", upstream, "->", vjp(pair, x, upstream))
print("JVP", dx, "->", jvp(pair, x, dx))

rng = np.random.default_rng(0)
for _ in range(3):
    x, dx, upstream = (jnp.array(rng.normal(size=k)) for k in (3, 3, 2))
    h = 1e-6
    slope = (pair(x + h * dx) - pair(x - h * dx)) / (2 * h)
    print(f"<u, differences> = {jnp.dot(upstream, slope):9.6f}"
          f"  <u, J dx> = {jnp.dot(upstream, jvp(pair, x, dx)):9.6f}"
          f"  <u J, dx> = {jnp.dot(vjp(pair, x, upstream), dx):9.6f}")
