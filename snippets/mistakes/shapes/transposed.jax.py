"""The gradient of a matrix has the shape of the matrix."""

import jax
import jax.numpy as jnp


@jax.custom_vjp
def dense(x, w):
    return x @ w


def dense_fwd(x, w):
    return dense(x, w), (x, w)


def dense_bwd(residuals, upstream):
    x, w = residuals
    return upstream @ w.T, x.T @ upstream


dense.defvjp(dense_fwd, dense_bwd)

x = jnp.ones([4, 3])
left, right = jnp.ones([3, 1]), jnp.ones([1, 2])
for name, function in (("custom", dense), ("autodiff", jnp.matmul)):
    gradients = jax.grad(
        lambda left, right: jnp.sum(function(x, left @ right)),
        argnums=(0, 1))(left, right)
    print(f"{name:8}", *[g.tolist() for g in gradients])
