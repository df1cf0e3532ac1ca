"""Cross-entropy of logits, with one gradient function for softmax and log."""

import jax
import jax.numpy as jnp


@jax.custom_vjp
def cross_entropy(z, t):
    return jax.nn.logsumexp(z, axis=-1) - jnp.sum(t * z, axis=-1)


def cross_entropy_fwd(z, t):
    return cross_entropy(z, t), (z, t)


def cross_entropy_bwd(residuals, upstream):
    z, t = residuals
    local = jax.nn.softmax(z) - t
    return upstream[..., None] * local, None


cross_entropy.defvjp(cross_entropy_fwd, cross_entropy_bwd)


def in_a_row(z, t):
    return jnp.sum(t * -jnp.log(jax.nn.softmax(z)), axis=-1)


z = jnp.array([[0.0, 0.0], [200.0, 0.0]])
t = jnp.array([[0.0, 1.0], [0.0, 1.0]])
for function in (in_a_row, cross_entropy):
    y, pullback = jax.vjp(function, z, t)
    downstream, _ = pullback(jnp.array([1.0, 10.0]))
    print(f"{function.__name__:13}  y = {y}")
    print("  downstream =", downstream.tolist())
