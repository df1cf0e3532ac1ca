"""The gradient function of a matrix product: each factor, with its shape."""

import jax
import jax.numpy as jnp
import numpy as np

np.set_printoptions(suppress=True)  # no powers of ten


@jax.custom_vjp
def product(A, B):
    return A @ B


def product_fwd(A, B):
    return product(A, B), (A, B)


def product_bwd(residuals, upstream):
    A, B = residuals
    downstream_A = upstream @ B.T
    downstream_B = A.T @ upstream
    for name, value in (("upstream", upstream),
                        ("local, B transposed", B.T),
                        ("downstream_A", downstream_A),
                        ("local, A transposed", A.T),
                        ("downstream_B", downstream_B)):
        jax.debug.print(f"{name} {value.shape}\n{{}}", value)
    return downstream_A, downstream_B


product.defvjp(product_fwd, product_bwd)

A = jnp.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
B = jnp.array([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]])
weights = jnp.array([[1.0, 10.0], [100.0, 1000.0]])
C, pullback = jax.vjp(product, A, B)

print("C", C.shape)
print(C)
pullback(weights)
