"""The chain rule, printed step by step: y = f(f(f(x))) with f(x) = x²."""

import jax


@jax.custom_gradient  # TensorFlow's interface: one function with grad inside
def square(x):
    y = x * x
    jax.debug.print("forward  x = {:.9g}  y = {:.9g}", x, y)

    def grad(upstream):
        local = 2.0 * x
        downstream = upstream * local
        jax.debug.print("backward x = {:.9g}  upstream = {:.9g}"
                        "  local = {:.9g}  downstream = {:.9g}",
                        x, upstream, local, downstream)
        return downstream

    return y, grad


x = 2.0
gradient = jax.grad(lambda x: square(square(square(x))))(x)

print("dy/dx =", gradient)
print("8 x**7 =", 8.0 * x**7)
