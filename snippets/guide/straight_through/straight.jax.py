"""Straight-through gradients: of round, of a sign, and of a quantizer."""

import jax
import jax.numpy as jnp


@jax.custom_vjp
def round_through(x):
    return jnp.round(x)


def round_bwd(_, upstream):
    jax.debug.print("  upstream {0}  local 1  downstream {0}", upstream)
    return (upstream,)


@jax.custom_vjp
def binarize_through(x):
    return jnp.sign(jnp.sign(x) + 0.5)  # 1 at 0; NaN stays NaN


round_through.defvjp(lambda x: (round_through(x), None), round_bwd)
binarize_through.defvjp(lambda x: (binarize_through(x), None),
                        lambda _, upstream: (upstream,))


def quantize_through(x, step=0.25):
    return step * round_through(x / step)  # the two scalings cancel


def stop(x):
    return x + jax.lax.stop_gradient(jnp.round(x) - x)


def loss(x, function):
    y = function(x)
    return 0.5 * jnp.sum((y - 1.0) ** 2), y


x = jnp.array([-1.7, -0.4, 0.5, 1.5, 2.2])
print("x =", x)
for name, function in {
        "round": jnp.round, "round_through": round_through, "stop": stop,
        "binarize_through": binarize_through,
        "quantize_through": quantize_through}.items():
    print(name)
    gradient, y = jax.grad(loss, has_aux=True)(x, function)
    print("  y =", y, " dL/dx =", gradient)
