"""JAX's ``check_grads`` on the functions of ``checkers.py``, for a Python that has JAX.

Reads lines ``title mode`` and prints the seconds of one check for each. JAX has no
forward mode for a function with ``jax.custom_vjp``, so forward mode gets the function
without it.
"""

import json
import sys
import time
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax.test_util import check_grads

EPSILON = 1e-3
MODES = ("rev", "fwd")


def mean(x):
    return jnp.mean(x, axis=-1, keepdims=True)


def rows(array):
    """What a row of ones does to an array, backwards."""
    return jnp.sum(array, axis=0)


def square(x):
    return x * x, lambda up: (up * 2.0 * x,)


def scale(a, x):
    return a * x, lambda up: (jnp.sum(up * x), up * a)


def softplus(x):
    return jax.nn.softplus(x), lambda up: (up * jax.nn.sigmoid(x),)


def norm(x):
    m = jnp.max(jnp.abs(x))
    y = m * jnp.sqrt(jnp.sum((x / m) ** 2))
    return y, lambda up: (up * x / y,)


def rms_norm(x):
    s = jnp.sqrt(mean(x * x) + EPSILON)
    r = x / s
    return r, lambda up: ((up - r * mean(up * r)) / s,)


def layer_norm(x, gamma, beta):
    c = x - mean(x)
    s = jnp.sqrt(mean(c * c) + EPSILON)
    r = c / s

    def grad(up):
        u = up * gamma
        return (u - mean(u) - r * mean(u * r)) / s, rows(up * r), rows(up)

    return gamma * r + beta, grad


def inverse(x):
    y = jnp.linalg.inv(x)
    return y, lambda up: (-y.T @ up @ y.T,)


def det(x):
    y = jnp.linalg.det(x)
    return y, lambda up: (up * y * jnp.linalg.inv(x).T,)


def with_gradient(pair: Callable) -> Callable:
    """The function, with its gradient function as ``jax.custom_vjp``."""
    function = jax.custom_vjp(lambda *inputs: pair(*inputs)[0])
    function.defvjp(
        lambda *inputs: (pair(*inputs)[0], inputs),
        lambda inputs, up: pair(*inputs)[1](up),
    )
    return function


def main() -> None:
    jax.config.update("jax_enable_x64", True)
    print(jax.__version__, flush=True)
    for line in sys.stdin:
        name, mode, arrays = json.loads(line)
        pair = globals()[name]
        f = with_gradient(pair) if mode == "rev" else lambda *x, p=pair: p(*x)[0]
        inputs = tuple(jnp.array(each, jnp.float64) for each in arrays)
        start = time.perf_counter()
        check_grads(f, inputs, order=1, modes=[mode])
        print(time.perf_counter() - start, flush=True)


main()
