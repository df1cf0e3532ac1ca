"""nondiff_argnums: the limits of a clip, which are not inputs."""

import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.custom_vjp, nondiff_argnums=(1, 2))
def clip_gradient(x, low, high):
    return x


def clip_gradient_fwd(x, low, high):
    return x, None


def clip_gradient_bwd(low, high, _, upstream):
    return (jnp.clip(upstream, low, high),)


clip_gradient.defvjp(clip_gradient_fwd, clip_gradient_bwd)

x = jnp.array([1.0, 2.0, 3.0])
gradient = jax.grad(lambda x: jnp.sum(clip_gradient(x, -0.5, 5.0) ** 2))(x)
print("gradient", gradient)
