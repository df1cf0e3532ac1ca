"""A layer of signs with the derivative of tanh, run eagerly and in jit."""

import jax
import jax.numpy as jnp

sign = jax.custom_vjp(jnp.sign)


def sign_fwd(x):
    return sign(x), x


def sign_bwd(x, upstream):
    local = 1.0 - jnp.tanh(x) ** 2
    downstream = upstream * local
    jax.debug.print("  x = {}  upstream = {}\n  local = {}  downstream = {}",
                    x, upstream, local, downstream)
    return (downstream,)


sign.defvjp(sign_fwd, sign_bwd)


def loss(weights, x, t):
    y = sign(x @ weights[0]) @ weights[1]
    return jnp.mean((y - t) ** 2), y


@jax.jit
def train_step(weights, x, t):
    gradients, _ = jax.grad(loss, has_aux=True)(weights, x, t)
    return jax.tree.map(lambda w, g: w - 0.1 * g, weights, gradients)


weights = (jnp.array([[0.5, -1.0]]), jnp.array([[1.0], [1.0]]))
x, t = jnp.array([[1.0]]), jnp.array([[1.0]])
print("eager")
(L, y), gradients = jax.value_and_grad(loss, has_aux=True)(weights, x, t)
print("y", y, " L", L, " gradient of the kernel", gradients[0])
print("jit")
hidden, output = train_step(weights, x, t)
jax.effects_barrier()
print("after a step of 0.1: hidden", hidden[0], " output", output[:, 0])
