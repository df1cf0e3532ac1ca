"""The modulus of complex numbers, with a custom gradient and a step down."""

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)


@jax.custom_vjp
def modulus(z):
    return jnp.abs(z)


def modulus_fwd(z):
    r = modulus(z)
    return r, (z, r)


def modulus_bwd(residuals, upstream):
    z, r = residuals
    local = jnp.conj(z) / jnp.where(r > 0.0, r, 1.0)
    return (upstream * local,)


modulus.defvjp(modulus_fwd, modulus_bwd)

z = jnp.array([3 + 4j, -1j, 0j])
weights = jnp.array([1.0, 10.0, 100.0])
for name, function in (("custom", modulus), ("autodiff", jnp.abs)):
    def loss(z):
        return jnp.sum(weights * function(z))

    L, gradient = jax.value_and_grad(loss)(z)
    lower = loss(z - 0.01 * jnp.conj(gradient))
    print(f"{name:8}  gradient {np.asarray(gradient).round(4) + 0}")
    print(f"{'':8}  L = {L:.4f}  after a step down {lower:.4f}")
