"""Deliberately wrong: mistakes with custom gradients that JAX refuses."""

import functools
import re

import jax
import jax.numpy as jnp


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def masked(x, mask):  # an array isn't a setting
    return x * mask


@masked.defjvp
def masked_jvp(mask, primals, tangents):
    return primals[0] * mask, tangents[0] * mask


@functools.partial(jax.custom_vjp, nondiff_argnums=(1,))
def shown(x, mask):
    return x * mask


shown.defvjp(lambda x, mask: (x * mask, None),
             lambda mask, _, upstream: (mask * upstream,))


def scanned(function, x, mask):
    def step(x, _):
        return function(x, mask * x), None

    return jnp.sum(jax.lax.scan(step, x, length=2)[0])


@jax.custom_jvp
def finite(x):
    return x


@finite.defjvp
def finite_jvp(primals, tangents):  # not linear in the tangent
    return primals[0], jnp.nan_to_num(tangents[0])


@jax.custom_vjp
def square(x):
    return x ** 2


square.defvjp(lambda x: (x ** 2, x), lambda x, upstream: (2.0 * x * upstream,))

x, mask = jnp.array([1.0, 2.0]), jnp.array([1.0, 0.0])
for name, run in {
        "custom_jvp, nondiff_argnums": lambda: jax.grad(
            lambda x: scanned(masked, x, mask))(x),
        "custom_vjp, nondiff_argnums": lambda: jax.grad(
            lambda x: scanned(shown, x, mask))(x),
        "nan_to_num of a tangent": lambda: jax.grad(finite)(3.0),
        "jax.jacfwd": lambda: jax.jacfwd(square)(3.0)}.items():
    try:
        print(f"{name}: {run()}")
    except Exception as error:
        message, *_ = re.split(r"\. |\.$", str(error))
        print(f"{name}\n  {type(error).__name__}: {message}".rstrip())
