"""The value of sign, with the derivative of the sigmoid."""

import jax
import jax.numpy as jnp


@jax.custom_vjp
def sign(x):
    y = jnp.sign(x)
    jax.debug.print("forward  x = {:.9g}  y = {:.9g}", x, y)
    return y


def sign_fwd(x):
    return sign(x), x


def sign_bwd(x, upstream):
    y_tilde = jax.nn.sigmoid(x)
    local = y_tilde * (1.0 - y_tilde)
    downstream = upstream * local
    jax.debug.print("backward x = {:.9g}  upstream = {:.9g}  local = {:.9g}"
                    "  downstream = {:.9g}", x, upstream, local, downstream)
    return (downstream,)


sign.defvjp(sign_fwd, sign_bwd)


def loss_of(x):
    return 0.5 * (sign(x) + 1.0) ** 2


for x in (3.0, 0.0):
    print("alone:   gradient =", jax.grad(sign)(x))
    loss, gradient = jax.value_and_grad(loss_of)(x)
    print("in loss: loss =", loss, " gradient =", gradient)
