"""y = x b: its gradient function sums over the axes on which b is copied."""

import mlx.core as mx


def unbroadcast(gradient, shape):
    """Sum over the axes that `shape` lacks or has with length 1."""
    padded = (1,) * (gradient.ndim - len(shape)) + shape
    copied = [i for i, length in enumerate(padded) if length == 1]
    return mx.sum(gradient, axis=copied).reshape(shape)


@mx.custom_function
def product(x, b):
    return x * b


@product.vjp
def product_vjp(primals, upstream, y):
    x, b = primals
    downstream_x = unbroadcast(upstream * b, x.shape)
    downstream_b = unbroadcast(upstream * x, b.shape)
    print("backward upstream", upstream.shape, " local_b", x.shape,
          " downstream_b", downstream_b.shape)
    return downstream_x, downstream_b


def gradients(function, x, b):
    return [g.tolist() for g in mx.vjp(function, [x, b], [weights])[1]]


x = mx.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
weights = mx.array([[1.0, 1.0, 1.0], [10.0, 10.0, 10.0]])
print("weights * x  =", (weights * x).tolist())
for b in map(mx.array, ([2.0, 3.0, 4.0], [[2.0], [3.0]], 2.0)):
    for name, gradient in zip("xb", gradients(product, x, b)):
        print(f"downstream_{name} =", gradient)
    print("autodiff     =", gradients(mx.multiply, x, b)[1])
