"""jax.checkpoint in a few lines, with a second derivative."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


def checkpoint(function):
    once = jax.custom_vjp(function)

    def bwd(x, upstream):
        _, pullback = jax.vjp(function, x)
        return pullback(upstream)

    once.defvjp(lambda x: (function(x), x), bwd)
    return once


def steps(x):
    for _ in range(8):
        x = jnp.sin(x)
    return x


x = 1.0
for name, function in {
        "plain": steps, "checkpoint": checkpoint(steps),
        "jax.checkpoint": jax.checkpoint(steps)}.items():
    slope = jax.grad(lambda x: function(x) ** 2)
    second = jax.grad(slope)
    print(f"{name:14}  first {slope(x):.12f}  second {second(x):.12f}")
