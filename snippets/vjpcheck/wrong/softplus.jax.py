"""Deliberately wrong: grad forgets upstream. The checker finds it."""

import jax
import jax.numpy as jnp

from vjpcheck import GradientError
from vjpcheck.jax import check_grads


def softplus_with(bwd):
    softplus = jax.custom_vjp(lambda x: jax.nn.softplus(x))
    softplus.defvjp(lambda x: (softplus(x), x), bwd)
    return softplus


right = softplus_with(lambda x, upstream: (upstream * jax.nn.sigmoid(x),))
forgetful = softplus_with(lambda x, upstream: (jax.nn.sigmoid(x),))

x = jnp.array([0.5, -2.0, 1.0])
result = check_grads(right, (x,), order=2, modes=["rev"])
print("right:", result.compared, "comparisons, order", result.order)
try:
    check_grads(forgetful, (x,), modes=["rev"])
except GradientError as error:
    print(error)
