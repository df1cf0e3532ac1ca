"""A gradient of 0 is 0.0, with or without a path to the input."""

import jax


def lost(x, unused):
    return 5.0 * jax.lax.stop_gradient(x)


def flat(x, unused):
    return 0.0 * x


x, unused = 3.0, 2.0
for name, function, argument in (("unused", flat, 1), ("lost", lost, 0),
                                 ("flat", flat, 0)):
    gradient = jax.grad(function, argnums=argument)(x, unused)
    print(f"{name:7}{gradient}")
