"""A second derivative that is refused by an error in a custom rule."""

import jax


@jax.custom_vjp
def once(downstream):
    return downstream


def once_fwd(downstream):
    raise TypeError("cube has no second derivative")


once.defvjp(once_fwd, lambda residuals, upstream: (upstream,))


@jax.custom_vjp
def cube(x):
    return x * x * x


cube.defvjp(lambda x: (cube(x), x),
            lambda x, upstream: (once(upstream * 3.0 * x * x),))

x = 2.0
first = jax.grad(cube)
print("first", first(x))
try:
    print("second", jax.grad(first)(x))
except TypeError as error:
    print("TypeError:", error)
