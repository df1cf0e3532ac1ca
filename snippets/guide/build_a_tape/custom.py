"""A decorator for custom gradients, and the trace of the lesson."""

from types import SimpleNamespace

import tensorflow as tf

# --8<-- [start:engine]
tape = []


class Value:
    def __init__(self, number):
        self.number = float(number)

    def __float__(self):
        return self.number

    def __add__(self, other):
        return add(self, other)

    def __mul__(self, other):
        return multiply(self, other)

    __radd__, __rmul__ = __add__, __mul__


def constant(number):
    return number if isinstance(number, Value) else Value(number)


def custom_gradient(function):
    def recorded(*inputs):
        inputs = [constant(x) for x in inputs]
        y, grad = function(*inputs)
        output = Value(y)
        tape.append((inputs, output, grad))
        return output

    return recorded


operation = custom_gradient


@operation
def add(x, y):
    return float(x) + float(y), lambda upstream: (upstream, upstream)


@operation
def multiply(x, y):
    def grad(upstream):
        return upstream * y, upstream * x

    return float(x) * float(y), grad


def gradient(target, source):
    upstream = {target: constant(1.0)}
    for inputs, output, grad in reversed(tape):
        if output in upstream:
            parts = grad(upstream[output])
            parts = parts if isinstance(parts, tuple) else (parts,)
            for x, part in zip(inputs, parts):
                upstream[x] = upstream[x] + part if x in upstream else part
    return upstream.get(source)
# --8<-- [end:engine]


# --8<-- [start:use]
def eighth_power(lib, x):
    lines = []

    # truth: x.shape.rank == 0; eager only
    @lib.custom_gradient
    def square(x):
        y = x * x

        def grad(upstream):
            local = 2.0 * x
            downstream = upstream * local
            lines.append(f"backward x = {float(x):g}"
                         f"  upstream = {float(upstream):g}"
                         f"  local = {float(local):g}"
                         f"  downstream = {float(downstream):g}")
            return downstream

        return y, grad

    return square(square(square(x))), lines


mine = SimpleNamespace(custom_gradient=custom_gradient)
x = constant(2.0)
y, lines = eighth_power(mine, x)
dy_dx = float(gradient(y, x))
print(*lines, sep="\n")
print("dy/dx =", dy_dx)

x_tf = tf.constant(2.0)
with tf.GradientTape() as tf_tape:
    tf_tape.watch(x_tf)
    y_tf, lines_tf = eighth_power(tf, x_tf)
assert tf_tape.gradient(y_tf, x_tf) == dy_dx
assert lines_tf == lines
print("TensorFlow prints the same lines and finds the same gradient")
# --8<-- [end:use]
