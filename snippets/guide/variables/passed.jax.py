"""A dense layer whose parameters are passed as a dictionary."""

import jax
import jax.numpy as jnp


@jax.custom_vjp
def dense(parameters, x):
    return x @ parameters["W"] + parameters["b"]


def dense_fwd(parameters, x):
    return dense(parameters, x), (parameters, x)


def dense_bwd(residuals, upstream):
    parameters, x = residuals
    downstream_x = upstream @ parameters["W"].T
    downstream_W = x.T @ upstream
    downstream_b = jnp.sum(upstream, axis=0)
    return {"W": downstream_W, "b": downstream_b}, downstream_x


dense.defvjp(dense_fwd, dense_bwd)

parameters = {"W": jnp.array([[1.0, -1.0], [2.0, 0.0], [0.0, 3.0]]),
              "b": jnp.array([10.0, 20.0])}
x = jnp.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
weights = jnp.array([[1.0, 0.0], [0.0, 10.0]])


def loss(parameters):
    return jnp.sum(weights * dense(parameters, x))


for symbol, gradient in jax.grad(loss)(parameters).items():
    print(f"downstream {symbol} = {gradient.tolist()}")
