"""Deliberately wrong: four gradients of k x that MLX doesn't refuse."""

import mlx.core as mx


def product(x, k):
    return k * x


def product_with(vjp):
    f = mx.custom_function(product)
    f.vjp(vjp)
    return f


def captured(x, k):
    @mx.custom_function
    def times_k(x):
        return k * x

    @times_k.vjp
    def times_k_vjp(x, upstream, y):
        return upstream * k

    return times_k(x)


x, k, upstream = mx.array([1.0, 2.0]), mx.array(3.0), mx.array([5.0, 10.0])
for name, function in {
        "autodiff": product,
        "right": product_with(
            lambda xk, u, y: (u * xk[1], mx.sum(u * xk[0]))),
        "no sum for k": product_with(
            lambda xk, u, y: (u * xk[1], u * xk[0])),
        "None for k": product_with(lambda xk, u, y: (u * xk[1], None)),
        "None for x": product_with(
            lambda xk, u, y: (None, mx.sum(u * xk[0]))),
        "k is captured": captured}.items():
    dx, dk = mx.vjp(function, [x, k], [upstream])[1]
    print(f"{name:13}  gradient of x: {dx.tolist()}  of k: {dk.tolist()}")
