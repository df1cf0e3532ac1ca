"""A parameter trains through sign with the gradient of a surrogate."""

import jax
import jax.numpy as jnp


@jax.custom_vjp
def sign(x):
    return jnp.sign(x)


def sign_fwd(x):
    return sign(x), x


def sign_bwd(x, upstream):
    y_tilde = jax.nn.sigmoid(x)
    local = y_tilde * (1.0 - y_tilde)
    return (upstream * local,)


sign.defvjp(sign_fwd, sign_bwd)


def adam(x, gradient, m, v, step, rate=0.1, b1=0.9, b2=0.999, epsilon=1e-7):
    m = b1 * m + (1.0 - b1) * gradient
    v = b2 * v + (1.0 - b2) * gradient**2
    rate = rate * jnp.sqrt(1.0 - b2**(step + 1)) / (1.0 - b1**(step + 1))
    return x - rate * m / (jnp.sqrt(v) + epsilon), m, v


@jax.jit
def train(x, m, v, step):
    loss, gradient = jax.value_and_grad(
        lambda x: 0.5 * (sign(x) - 1.0) ** 2)(x)
    return loss, gradient, *adam(x, gradient, m, v, step)


x, m, v = -1.0, 0.0, 0.0
for step in range(100):
    loss, gradient, x, m, v = train(x, m, v, step)
    if step % 10 == 0:
        print(f"step {step}  loss = {loss:g}  gradient = {gradient:.9g}"
              f"  then x = {x:.3f}")
