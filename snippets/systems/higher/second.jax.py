"""The gradient function of the cube, and its own gradient function."""

import jax


@jax.custom_vjp
def cube_gradient(x, u):
    z = 3.0 * x ** 2.0 * u
    jax.debug.print("grad  x = {:g}  upstream = {:g}  local = {:g}"
                    "  downstream = {:g}", x, u, 3.0 * x ** 2.0, z)
    return z


def cube_gradient_bwd(residuals, upstream):
    x, u = residuals
    downstream_x = upstream * 6.0 * x * u
    downstream_u = upstream * 3.0 * x ** 2.0
    jax.debug.print("gradient of grad  u = {:g}  upstream = {:g}"
                    "  downstream_x = {:g}  downstream_u = {:g}",
                    u, upstream, downstream_x, downstream_u)
    return downstream_x, downstream_u


cube_gradient.defvjp(lambda x, u: (cube_gradient(x, u), (x, u)),
                     cube_gradient_bwd)


@jax.custom_vjp
def cube(x):
    return x ** 3.0


cube.defvjp(lambda x: (cube(x), x), lambda x, u: (cube_gradient(x, u),))


def slope(x):
    g = jax.grad(lambda x: 0.5 * (cube(x) - 5000.0) ** 2.0)(x)
    jax.debug.print("first derivative of the loss = {:g}", g)
    return g


x = 10.0
print(f"second derivative of the loss = {jax.grad(slope)(x):g}")
