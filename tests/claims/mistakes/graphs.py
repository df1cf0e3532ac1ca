"""The claims of docs/mistakes/graphs.md."""

import re

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import (
    ALL_OUTSIDE,
    BLOCKS,
    COMMON,
    EAGER,
    GRAPHS,
    INSIDE,
    XLA,
    XLA_OUTSIDE,
    contrast,
    message,
    program,
    raised,
    same,
)

X = [2.0, -3.0]


def doubled(x):
    """2 x if the sum of x is larger than 1, and else x, by an ``if`` on a tensor."""
    if tf.reduce_sum(x) > 1.0:
        return 2.0 * x
    return x


def doubled_if_negative(x):
    """2 x if the sum of x is negative, and else x."""
    if tf.reduce_sum(x) < 0.0:
        return 2.0 * x
    return x


@pytest.mark.parametrize("choose", [doubled, doubled_if_negative])
@pytest.mark.parametrize("place", GRAPHS, ids=str)
def test_not_converted(place, choose):
    rejected = "symbolic `tf.Tensor` as a Python `bool`"

    @tf.custom_gradient
    def in_grad(x):
        return tf.identity(x), lambda upstream: choose(-2.0 * upstream)

    @tf.custom_gradient
    def written_in_grad(x):
        def grad(upstream):
            if tf.reduce_sum(upstream) > 1.0:
                return 2.0 * upstream
            return upstream

        return tf.identity(x), grad

    @tf.custom_gradient
    def in_forward(x):
        return choose(x), lambda upstream: upstream

    @tf.custom_gradient
    def written_in_it(x):
        if tf.reduce_sum(x) > 1.0:
            return 2.0 * x, lambda upstream: 2.0 * upstream
        return x, lambda upstream: upstream

    xs = tf.constant(X), tf.constant(X) + 3.0
    for x in xs:
        right = EAGER.gradient(choose, x)
        assert same(place.gradient(choose, x), right)
        assert same(place.gradient(lambda x: -choose(x), x), -right)
    for decorated in in_grad, written_in_grad, in_forward, written_in_it:
        assert rejected in message(place.gradient, decorated, X)
        assert not message(EAGER.gradient, decorated, X)
    with contrast("nor in a tf.function that grad calls"):

        @tf.custom_gradient
        def in_function(x):
            graph = tf.function(choose)
            return tf.identity(x), lambda upstream: graph(-2.0 * upstream)

        expected = choose(tf.constant([-2.0, -2.0]))
        assert same(place.gradient(in_function, X), expected)


IN_BLOCKS = [
    place for place in BLOCKS if not place.name.startswith(("nested", "strategy"))
]


def reading(value, where):
    """2 x, whose gradient function multiplies by the largest element of a tensor."""

    @tf.custom_gradient
    def function(x):
        if where == "forward":
            return 2.0 * x + 0.0 * tf.reduce_max(value), lambda u: 3.0 * u
        copy = tf.identity(value) if where == "copy" else value

        def grad(upstream):
            captured = tf.identity(copy) if where == "copy in grad" else copy
            return upstream * tf.reduce_max(captured)

        return 2.0 * x, grad

    return function


@pytest.mark.parametrize("place", IN_BLOCKS, ids=str)
def test_eager_tensor(place):
    shape = [2] if place.name in ("branch, inside", "loop, outside") else []
    value = tf.fill(shape, 3.0)
    reads = [reading(value, "forward"), reading(value, "copy")]
    reads.append(reading(np.full(shape, 3.0, np.float32), "grad"))
    gradients = place.gradients(
        lambda *xs: sum(f(x) for f, x in zip(reads, xs)), X, X, X
    )
    assert same(gradients, [[3.0, 3.0]] * 3)
    is_in_branch = place.name.startswith(("branch,", "branch in"))
    words = "Tensor.graph is undefined" if is_in_branch else "internal_captures"
    kind = AttributeError if is_in_branch else ValueError
    error = raised(place.gradient, reading(value, "grad"), X)
    assert isinstance(error, kind) and words in str(error)
    with contrast("or a copy that grad made"):
        assert words in message(place.gradient, reading(value, "copy in grad"), X)
    with contrast("through a graph, also without a branch or a loop"):
        for plain in INSIDE, EAGER:
            assert same(plain.gradient(reading(value, "grad"), X), [3.0, 3.0])
    with contrast("captures a constant"):
        assert same(gradients[2], [3.0, 3.0])


def returning(what):
    """x², with a gradient function that returns a tensor unchanged, or a new one."""

    @tf.custom_gradient
    def function(x):
        x = tf.identity(x) if what == "first line" else x
        y, z = x * x, 2.0 * x
        return y, lambda upstream: {
            "input": lambda: x,
            "first line": lambda: x,
            "converted": lambda: tf.convert_to_tensor(x),
            "output": lambda: y,
            "intermediate": lambda: z,
            "copy": lambda: tf.identity(x),
            "product": lambda: upstream * x,
        }[what]()

    return function


UNCHANGED = ["input", "first line", "converted", "output", "intermediate"]
DIRECT = [p for p in COMMON if not p.name.startswith(("branch", "loop"))]


def of_all(kinds, factor=1.0):
    """Call one function for each kind, each with an input of its own."""
    return lambda *xs: [returning(kind)(factor * x) for kind, x in zip(kinds, xs)]


@pytest.mark.parametrize("place", DIRECT, ids=str)
def test_returned_unchanged(place):
    xs = [X] * len(UNCHANGED)
    if place in ALL_OUTSIDE and not place.name.startswith("nested"):
        for kind in UNCHANGED:
            for compute in place.value, place.gradient:
                error = message(compute, returning(kind), X)
                assert re.match(r"InvalidArgumentError: Node with id \d+ is", error)
    else:
        assert not message(place.gradients, of_all(UNCHANGED), *xs)
    with contrast("also a copy or a product of it"):
        new = ["copy", "product"]
        assert same(place.gradients(of_all(new), X, X), [X, X])
    with contrast("also if something multiplies it before it reaches the input"):
        assert not message(place.gradients, of_all(UNCHANGED, 3.0), *xs)


def counting():
    """A tf.function of a tensor and a factor, and a list with an item for each trace."""
    traces = []

    @tf.custom_gradient
    def scaled(x, factor):
        traces.append(factor)
        factor = tf.cast(factor, x.dtype)
        return factor * x, lambda upstream: (upstream * factor, None)

    return tf.function(lambda x, factor: scaled(x, factor)), traces


@pytest.mark.parametrize("numbers", [(1.0, 2.0, 3.0), (1, 2, 1), (0.0, 1e30, 0.0)])
def test_python_numbers(numbers):
    run, traces = counting()
    x = tf.constant(X)
    for number in numbers:
        assert same(run(x, number), [number * value for value in X], 1e-6)
    assert len(traces) == len({*numbers})
    with contrast("for each call with a Python number"):
        run(x, numbers[0])
        assert len(traces) == len({*numbers})
    for convert in (tf.constant, np.float32, np.int64):
        run, traces = counting()
        for number in numbers:
            run(x, convert(float(min(number, 1e6))))
        assert len(traces) == 1
    with contrast("also for a NumPy number that is a Python float"):
        run, traces = counting()
        for number in map(np.float64, numbers):
            assert isinstance(number, float)
            run(x, number)
        assert len(traces) == 1
    with contrast("also with an input_signature"):
        scaled = program("mistakes/graphs/retrace.py").scaled
        run = tf.function(
            scaled, input_signature=[tf.TensorSpec([None]), tf.TensorSpec([])]
        )
        for length, number in enumerate(numbers):
            run(tf.ones([length]), float(number))
        assert run.experimental_get_tracing_count() == 1


def in_numpy(x):
    return tf.ensure_shape(tf.numpy_function(np.sin, [x], x.dtype), x.shape)


def in_python(x):
    return tf.ensure_shape(tf.py_function(tf.sin, [x], x.dtype), x.shape)


@pytest.mark.parametrize("call", [in_numpy, in_python])
@pytest.mark.parametrize("place", [XLA, XLA_OUTSIDE], ids=str)
def test_no_python_code(place, call):
    functions = {
        "forward": lambda x: (call(x), lambda upstream: upstream),
        "unused": lambda x: ([tf.sin(x), call(x)][0], lambda upstream: upstream),
        "grad": lambda x: (tf.sin(x), lambda upstream: upstream * call(x)),
    }
    unsupported = "Detected unsupported operations"
    for function in functions.values():
        decorated = tf.custom_gradient(function)
        assert unsupported in message(place.gradient, decorated, X)
        assert not message(INSIDE.gradient, decorated, X)
    with contrast("also the forward pass, if only the gradient contains it"):
        compiled = tf.function(tf.custom_gradient(functions["grad"]), jit_compile=True)
        assert same(compiled(tf.constant(X)), np.sin(X), 1e-6)


def repeated(function, limit=None):
    """Call a function three times in a tf.while_loop."""

    def loop(x):
        body = lambda i, y: (i + 1, function(y))
        return tf.while_loop(
            lambda i, _: i < 3, body, (0, x), maximum_iterations=limit
        )[1]

    return loop


@tf.custom_gradient
def square(x):
    return x * x, lambda upstream: upstream * 2.0 * x


@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda upstream: -upstream


READS = [square, tf.square, lambda y: tf.sin(y) + y]
"""Functions whose gradients read their input."""


@pytest.mark.parametrize("function", READS)
def test_needs_a_limit(function):
    right = EAGER.gradient(repeated(function), X)
    for place in XLA, XLA_OUTSIDE:
        error = message(place.gradient, repeated(function), X)
        assert "XLA compilation requires a fixed tensor list size" in error
    for limit in 3, 10:
        assert same(XLA.gradient(repeated(function, limit), X), right, 1e-5)
    with contrast("without maximum_iterations always"):
        for place in XLA, XLA_OUTSIDE:
            assert same(place.gradient(repeated(reverse), X), [-1.0, -1.0])
    with contrast("the value of the loop, too"):
        compiled = tf.function(repeated(function), jit_compile=True)
        value = repeated(function)(tf.constant(X))
        assert same(compiled(tf.constant(X)), value, 1e-5)


@pytest.mark.parametrize("limit", [None, 3, 10])
@pytest.mark.parametrize("function", READS)
def test_list_stays_inside(function, limit):
    error = message(XLA_OUTSIDE.value, repeated(function, limit), X)
    words = "TensorList crossing the XLA/TF boundary" if limit else "fixed tensor list"
    assert error.startswith(("InvalidArgumentError", "UnimplementedError"))
    with contrast("only without `maximum_iterations`, or only with it"):
        assert words in error
    with contrast("also if no tape watches"):
        compiled = tf.function(repeated(function, limit), jit_compile=True)
        assert not message(compiled, tf.constant(X))
    with contrast("for each loop"):
        assert same(XLA_OUTSIDE.gradient(repeated(reverse, limit), X), [-1.0, -1.0])

        def python_loop(x):
            for _ in range(3):
                x = function(x)
            return x

        right = EAGER.gradient(python_loop, X)
        assert same(XLA_OUTSIDE.gradient(python_loop, X), right, 1e-5)
