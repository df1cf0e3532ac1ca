"""Round up or down at random: right on average, with the slope of the mean."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.custom_vjp
def round_at_random(x, u):
    return jnp.floor(x + u)


def round_at_random_fwd(x, u):
    return round_at_random(x, u), None


def round_at_random_bwd(_, upstream):
    return upstream, None


round_at_random.defvjp(round_at_random_fwd, round_at_random_bwd)

noise = np.random.default_rng(0).random([10000, 3], np.float32)
x, u = jnp.array([0.25, -1.5, 2.9]), jnp.array(noise)


def loss(x):
    y = round_at_random(jnp.broadcast_to(x, u.shape), u)
    mean = jnp.mean(y, axis=0)
    return jnp.sum(mean * jnp.array([1.0, 10.0, 100.0])), (y, mean)


gradient, (y, mean) = jax.grad(loss, has_aux=True)(x)
print("three samples", y[:3].tolist())
print("mean         ", np.asarray(mean).round(2))
print("dL/dx        ", np.asarray(gradient).round(2))
