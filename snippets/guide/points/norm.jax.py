"""The 2-norm with a chosen gradient at 0, tested against the definition."""

import jax
import jax.numpy as jnp


@jax.custom_vjp
def norm(x, at_zero):
    return jnp.sqrt(jnp.sum(x * x))


def norm_fwd(x, at_zero):
    r = norm(x, at_zero)
    return r, (x, at_zero, r)


def norm_bwd(residuals, upstream):
    x, at_zero, r = residuals
    safe = jnp.where(r > 0.0, r, 1.0)
    local = jnp.where(r > 0.0, x / safe, at_zero)
    downstream = upstream * local
    jax.debug.print("  upstream {:g}  local [{:g} {:g}]"
                    "  downstream [{:g} {:g}]", upstream, *local, *downstream)
    return downstream, None


norm.defvjp(norm_fwd, norm_bwd)

for at_zero in ([0.0, 0.0], [0.6, -0.8]):
    print("at 0:", at_zero)
    for x in ([3.0, 4.0], [0.0, 0.0]):
        jax.grad(lambda x: 10.0 * norm(x, jnp.array(at_zero)))(jnp.array(x))

print("the definition, |z| >= g z, at 100000 random z:")
z = jax.random.normal(jax.random.key(1), (100000, 2))
for g in ([0.0, 0.0], [0.6, -0.8], [0.6, 0.9]):
    below = jnp.linalg.norm(z, axis=1) - z @ jnp.array(g) >= -1e-5
    print("  g =", g, f" its length {jnp.linalg.norm(jnp.array(g)):.4f}"
          "  a subgradient:", bool(below.all()))
