"""The second derivative of the eighth power."""

import math
from types import SimpleNamespace

import tensorflow as tf

open_tapes = []


class Value:
    """A number that a tape recognizes by its identity."""

    def __init__(self, number):
        self.number = float(number)

    def __float__(self):
        return self.number

    def __add__(self, other):
        return add(self, other)

    def __mul__(self, other):
        return multiply(self, other)

    def __neg__(self):
        return -1.0 * self

    def __sub__(self, other):
        return self + -1.0 * other

    __radd__, __rmul__ = __add__, __mul__


def constant(number):
    return number if isinstance(number, Value) else Value(number)


def as_list(values):
    return list(values) if isinstance(values, (list, tuple)) else [values]


class GradientTape:
    """A list of the steps that depend on a watched value."""

    def __init__(self, persistent=False):
        self.persistent = persistent
        self.steps, self.watched = [], set()

    def __enter__(self):
        open_tapes.append(self)
        return self

    def __exit__(self, *error):
        open_tapes[:] = [tape for tape in open_tapes if tape is not self]

    def watch(self, values):
        self.watched.update(as_list(values))

    def gradient(self, target, sources):
        if self.steps is None:
            raise RuntimeError("this tape computes one set of gradients")
        steps = self.steps
        if not self.persistent:
            self.steps = None
            self.__exit__()
        zero, upstream = constant(0.0), {target: constant(1.0)}
        for inputs, outputs, grad in reversed(steps):
            if any(y in upstream for y in outputs):
                parts = grad(*(upstream.get(y, zero) for y in outputs))
                for x, part in zip(inputs, as_list(parts), strict=True):
                    if part is not None and x in self.watched:
                        upstream[x] = upstream.get(x, zero) + part
        found = [upstream.get(x) for x in as_list(sources)]
        return found if isinstance(sources, (list, tuple)) else found[0]


def custom_gradient(function):
    def recorded(*inputs):
        inputs = [constant(x) for x in inputs]
        y, grad = function(*inputs)
        outputs = tuple(Value(each) for each in as_list(y))
        for tape in open_tapes:
            if not tape.watched.isdisjoint(inputs):
                tape.watched.update(outputs)
                tape.steps.append((inputs, outputs, grad))
        return outputs if isinstance(y, (list, tuple)) else outputs[0]

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


@operation
def sin(x):
    return math.sin(x), lambda upstream: upstream * cos(x)


@operation
def cos(x):
    return math.cos(x), lambda upstream: -upstream * sin(x)


# --8<-- [start:use]
def derivatives(lib, x):
    lines = []

    # truth: x.shape.rank == 0; eager only
    @lib.custom_gradient
    def square(x):
        def grad(upstream):
            lines.append(f"  x = {float(x):g}"
                         f"  upstream = {float(upstream):g}")
            return upstream * 2.0 * x

        return x * x, grad

    with lib.GradientTape() as outer:
        outer.watch(x)
        with lib.GradientTape() as inner:
            inner.watch(x)
            y = square(square(square(x)))
        lines.append("inner backward pass, recorded by the outer tape")
        first = inner.gradient(y, x)
    lines.append("outer backward pass")
    second = outer.gradient(first, x)
    return lines, float(first), float(second)


mine = SimpleNamespace(custom_gradient=custom_gradient,
                       GradientTape=GradientTape)
lines, first, second = derivatives(mine, constant(2.0))
print(*lines, sep="\n")
print("first =", first, " second =", second)
assert derivatives(tf, tf.constant(2.0)) == (lines, first, second)
print("TensorFlow prints the same lines and finds the same derivatives")
# --8<-- [end:use]
