"""Three rules for x², ten times its derivative, and who uses them."""

import mlx.core as mx


@mx.custom_function
def square(x):
    return x * x


@square.vjp
def square_vjp(x, upstream, y):
    return upstream * 20.0 * x


@square.jvp
def square_jvp(x, dx):
    return 20.0 * x * dx


@square.vmap
def square_vmap(x, axis):
    return square(x), axis  # the same operations, for a batch


def mapped(x):
    return mx.sum(mx.vmap(square)(x))


x, batch = mx.array(3.0), mx.array([3.0, 4.0])
for name, gradient in {
        "grad": mx.grad(square)(x),
        "grad of grad": mx.grad(mx.grad(square))(x),
        "compile of grad": mx.compile(mx.grad(square))(x),
        "grad of compile": mx.grad(mx.compile(square))(x),
        "grad of checkpoint": mx.grad(mx.checkpoint(square))(x),
        "vmap of grad": mx.vmap(mx.grad(square))(batch),
        "grad of vmap": mx.grad(mapped)(batch),
        "jvp": mx.jvp(square, [x], [mx.array(1.0)])[1][0]}.items():
    print(f"{name:18}  {gradient.tolist()}")
