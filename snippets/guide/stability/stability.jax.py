"""log(1 + e^x) without overflow: softplus forward, sigmoid backward."""

import jax
import jax.numpy as jnp


@jax.custom_vjp
def softplus(x):
    y = jnp.maximum(x, 0.0) + jnp.log1p(jnp.exp(-jnp.abs(x)))
    jax.debug.print("forward  x = {:.9g}  y = {:.9g}", x, y)
    return y


def softplus_fwd(x):
    return softplus(x), x


def softplus_bwd(x, upstream):
    local = jax.nn.sigmoid(x)
    downstream = upstream * local
    jax.debug.print("backward x = {:.9g}  upstream = {:.9g}  local = {:.9g}"
                    "  downstream = {:.9g}", x, upstream, local, downstream)
    return (downstream,)


softplus.defvjp(softplus_fwd, softplus_bwd)


def first_derivative(x):
    loss, first = jax.value_and_grad(lambda x: 3.0 * softplus(x))(x)
    return first, loss


for x in (-20.0, 0.0, 88.0, 100.0):
    (first, loss), second = jax.value_and_grad(
        first_derivative, has_aux=True)(x)
    print(f"x = {x:5.1f}  loss = {loss:.6g}  first = {first:.6g}"
          f"  second = {second:.3g}")
