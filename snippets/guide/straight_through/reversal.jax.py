"""One feature, two heads: the gradient from one of them is reversed."""

import jax
import jax.numpy as jnp

lambda_ = 0.5


@jax.custom_vjp
def reverse(x):
    return x


def reverse_fwd(x):
    return x, None


def reverse_bwd(_, upstream):
    return (-lambda_ * upstream,)


reverse.defvjp(reverse_fwd, reverse_bwd)


def heads(f, a, c):
    return a * f, c * reverse(f)


f, a, c = jnp.float32(2.0), jnp.float32(3.0), jnp.float32(5.0)
(q, r), pullback = jax.vjp(heads, f, a, c)
q_bar, r_bar = jnp.float32(1.0), jnp.float32(10.0)
f_bar, a_bar, c_bar = pullback((q_bar, r_bar))
print("f_bar", f_bar, " a_bar", a_bar, " c_bar", c_bar)
