"""Deliberately wrong: a vjp alone, and a vjp that prints under compile."""

import mlx.core as mx


@mx.custom_function
def square(x):
    return x * x


@square.vjp
def square_vjp(x, upstream, y):
    return upstream * 20.0 * x


printed = mx.custom_function(lambda x: x * x)


@printed.vjp
def printed_vjp(x, upstream, y):
    print("x =", x.item())
    return upstream * 20.0 * x


def mapped(x):
    return mx.sum(mx.vmap(square)(x))


x, batch = mx.array(3.0), mx.array([3.0, 4.0])
print("grad         ", mx.grad(square)(x).tolist())
print("vmap of grad ", mx.vmap(mx.grad(square))(batch).tolist())
print("grad of vmap ", mx.grad(mapped)(batch).tolist())
print("jvp          ", mx.jvp(square, [x], [mx.array(1.0)])[1][0].tolist())
mx.grad(printed)(x)
try:
    mx.compile(mx.grad(printed))(x)
except ValueError as error:
    print(error)
