"""exp(k t), whose gradient function gets its own output as a residual."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.custom_vjp
def scaled_exp(t, k):
    return jnp.exp(k * t)


def scaled_exp_fwd(t, k):
    y = scaled_exp(t, k)
    return y, (t, k, y)


def scaled_exp_bwd(residuals, upstream):
    t, k, y = residuals
    downstream_t = upstream * k * y
    downstream_k = jnp.sum(upstream * t * y)
    return downstream_t, downstream_k


scaled_exp.defvjp(scaled_exp_fwd, scaled_exp_bwd)

t, k = jnp.array([0.0, 1.0, 2.0]), jnp.array(0.5)
for name, f in (("custom", scaled_exp),
                ("autodiff", lambda t, k: jnp.exp(k * t))):
    of_t, of_k = jax.grad(lambda t, k: jnp.sum(f(t, k) ** 2), (0, 1))(t, k)
    print(f"{name:8}  t: {np.asarray(of_t).round(4)}  k: {of_k:.4f}")
