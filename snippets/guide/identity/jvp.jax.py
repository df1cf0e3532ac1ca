"""Forward mode through two functions with a jax.custom_vjp."""

import jax
import jax.numpy as jnp


@jax.custom_vjp
def clip(x):
    return x


clip.defvjp(lambda x: (x, None),
            lambda _, upstream: (jnp.clip(upstream, -0.5, 0.5),))


@jax.custom_vjp
def round_through(x):
    return jnp.round(x)


round_through.defvjp(lambda x: (round_through(x), None),
                     lambda _, upstream: (upstream,))


def forward(function, x):
    try:
        _, tangent = jax.jvp(function, (x,), (jnp.ones_like(x),))
        return f"{tangent:.2f}"
    except TypeError as error:
        return type(error).__name__


x = jnp.array(2.7)
for function in (clip, round_through):
    print(f"{function.__name__:13}  reverse mode {jax.grad(function)(x):.2f}"
          f"  forward mode {forward(function, x)}")
