"""check_grads compares products with a Jacobian and finite differences."""

import jax
import jax.numpy as jnp
from jax.test_util import check_grads

jax.config.update("jax_enable_x64", True)


def cube_with(factor):
    @jax.custom_vjp
    def cube(x):
        return x * x * x

    def bwd(x, upstream):
        return (upstream * factor * x * x,)

    cube.defvjp(lambda x: (cube(x), x), bwd)
    return cube


def passes(function, x, order):
    try:
        check_grads(function, (x,), order, modes=["rev"])
    except AssertionError:
        return False
    return True


x = jnp.array([-1.0, 0.5, 2.0])
for name, function in (("cube", cube_with(3.0)), ("wrong", cube_with(2.0))):
    print(f"{name:5}  gradcheck {passes(function, x, order=1)}")

print("gradgradcheck", passes(cube_with(3.0), x, order=2))
