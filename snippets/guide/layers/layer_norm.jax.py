"""Layer normalization: the gradients for a batch of rows."""

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)
EPSILON = 1e-3


def plain(x, gamma, beta):
    return gamma * jax.nn.standardize(x, epsilon=EPSILON) + beta


layer_norm = jax.custom_vjp(plain)


def layer_norm_fwd(x, gamma, beta):
    s = jnp.sqrt(x.var(-1, keepdims=True) + EPSILON)
    r = (x - x.mean(-1, keepdims=True)) / s
    return gamma * r + beta, (r, s, gamma)


def layer_norm_bwd(residuals, upstream):
    r, s, gamma = residuals
    r_bar = upstream * gamma
    c_bar = (r_bar - r * (r_bar * r).mean(-1, keepdims=True)) / s
    return (c_bar - c_bar.mean(-1, keepdims=True),
            (upstream * r).sum(axis=0), upstream.sum(axis=0))


layer_norm.defvjp(layer_norm_fwd, layer_norm_bwd)

inputs = (jnp.array([[1.0, 2.0, 6.0], [5.0, 5.0, 5.0]]),
          jnp.array([1.0, 2.0, 3.0]), jnp.array([0.0, 0.0, 1.0]))
upstream = jnp.array([[1.0, 10.0, 100.0], [1.0, 2.0, 3.0]])
for name, function in (("layer_norm", layer_norm), ("plain", plain)):
    y, pullback = jax.vjp(function, *inputs)
    print(f"{name}\n  y", np.asarray(y).round(4).tolist())
    for name, each in zip(("x", "gamma", "beta"),
                          map(np.asarray, pullback(upstream))):
        print("  downstream", name, (each.round(4) + 0.0).tolist())
        if name == "x":
            sums = each.sum(axis=-1).round(6) + 0.0
            print("    its rows sum to", sums.tolist())
