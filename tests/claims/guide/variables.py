"""The claims of docs/guide/variables.md."""

import warnings

import keras
import pytest
import tensorflow as tf

from tests.harness import (
    BLOCKS,
    EAGER,
    EVERYWHERE,
    GRAPHS,
    INSIDE,
    MODES,
    NESTED,
    OUTSIDE,
    PERSISTENT,
    contrast,
    raised,
    same,
)

NAMES = ["w10", "z", "w2", "B", "w0", "a", "w1", "w1/x", "b", "w11", "y", "c"]


def weights():
    """Create variables whose names aren't sorted."""
    return [tf.Variable(1.0, name=name) for name in NAMES]


def numbering(variables, received):
    """x plus a sum of variables, in which the n-th variable read has the factor n.

    ``grad`` returns the right gradients in the order of reading.
    """

    @tf.custom_gradient
    def total(x):
        def grad(upstream, variables):
            received.append(variables)
            factors = range(1, len(variables) + 1)
            return upstream, [float(n) * upstream for n in factors]

        return x + sum(n * w for n, w in enumerate(variables, 1)), grad

    return total


def asking(function, received):
    """A function whose ``grad`` appends the ``variables`` that it receives to a list."""

    @tf.custom_gradient
    def asks(*arguments):
        def grad(upstream, variables=None):
            received.append(variables)
            gradients = [upstream for _ in arguments]
            return gradients if variables is None else (gradients, [upstream])

        return function(*arguments), grad

    return asks


@pytest.mark.parametrize("place", EVERYWHERE, ids=str)
def test_as_an_argument(place):
    received = []

    @tf.custom_gradient
    def product(x, w):
        x, w = tf.identity(x), tf.identity(w)  # else, a branch raises

        def grad(upstream, variables=None):
            received.append(variables)
            return upstream * 10, upstream * 100

        return x * w, grad

    def as_three_arguments(x, w):
        return (
            product(x, w)
            + product(x, tf.identity(w))
            + product(x, tf.convert_to_tensor(w))
        )

    gradients = place.gradients(as_three_arguments, 3.0, tf.Variable(2.0))
    assert same(gradients, [30.0, 300.0])
    assert received == [None] * len(received) and len(received) >= 3
    if place in MODES:
        captured, passed, received = tf.Variable(2.0), tf.Variable(3.0), []
        reading = asking(lambda x, w: captured * x * w, received)
        place.gradient(lambda x: reading(x, passed), 3.0)
        assert [variable is captured for variable in received[-1]] == [True]
    if place in (EAGER, PERSISTENT):
        weight = keras.Variable(2.0)
        of_weight = asking(lambda x, w: w * x, received)
        place.gradient(lambda x: of_weight(x, weight), 3.0)
        with contrast("also a Keras weight, eagerly"):
            assert [variable is weight.value for variable in received[-1]] == [True]
        place.gradient(lambda x: of_weight(x, tf.convert_to_tensor(weight)), 3.0)
        assert received[-1] is None
    if place in GRAPHS:
        place.gradient(lambda x: reading(x, captured), 3.0)
        with contrast("also if the function reads it itself"):
            assert [variable is captured for variable in received[-1]] == [True]


@pytest.mark.parametrize("place", GRAPHS, ids=str)
def test_sorted_by_name(place):
    received, variables = [], weights()
    total = numbering(variables, received)
    place.gradient(total, 1.0)
    names = [variable.name for variable in received[-1]]
    assert len(names) == len(NAMES) and names == sorted(names)
    assert names.index("w10:0") < names.index("w2:0")
    with contrast("in the order in which the function reads them"):
        assert names != [variable.name for variable in variables]
    with contrast("by the numbers in their names"):
        assert names.index("w10:0") < names.index("w1:0")
    with contrast("in eager mode, too"):
        EAGER.gradient(total, 1.0)
        names = [variable.name for variable in received[-1]]
        assert names != sorted(names)


@pytest.mark.parametrize("place", MODES, ids=str)
def test_by_position(place):
    received, variables = [], weights()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        to_x, *gradients = place.gradients(
            lambda x, *variables: numbering(variables, received)(x), 1.0, *variables
        )
    assert to_x == 1
    numbers = [int(gradient) for gradient in gradients]
    by_name = dict(zip([variable.name for variable in variables], numbers))
    listed = [by_name[variable.name] for variable in received[-1]]
    assert listed == [*range(1, len(NAMES) + 1)]
    with contrast("by the order of reading, so they reach the right variables"):
        assert numbers != [*range(1, len(NAMES) + 1)]
    if place in (EAGER, PERSISTENT):
        with contrast("by name"):
            assert [by_name[name] for name in sorted(by_name)] != listed


@pytest.mark.parametrize("place", MODES, ids=str)
def test_adds_calls(place):
    def calls(x, w):
        @tf.custom_gradient
        def product(x):
            def grad(upstream, variables):
                return upstream * w, [10 * upstream * x]

            return w * x, grad

        return product(x) + product(product(3 * x))

    variables = [tf.Variable(2, dtype=dtype) for dtype in place.dtypes]
    for w in variables:
        x = tf.constant(1, w.dtype)
        to_x, to_w = place.gradients(calls, x, w)
        assert same(to_x, 2.0 + 3 * 2 * 2)
        assert same(to_w, 10.0 + 60 + 2 * 30)
        with contrast("the last one, instead of adding"):
            assert to_w not in (10, 60)


@pytest.mark.parametrize("place", [*MODES, *BLOCKS[:5]], ids=str)
def test_must_accept(place):
    w, v, frozen = tf.Variable(2.0), tf.Variable(2.0), tf.Variable(2.0, trainable=False)

    def of(forward):
        return tf.custom_gradient(lambda x: (forward(x), lambda upstream: upstream))

    reads = of(lambda x: w * v * x)
    reads_in_vain = of(lambda x: (w.read_value(), 2 * x)[1])
    calls_what_reads = of(tf.function(lambda x: w * x))
    assigns = of(lambda x: (w.assign(2.0), 2 * x)[1])
    for function in (reads, reads_in_vain, calls_what_reads, assigns):
        error = raised(place.value, function, 3.0)
        assert isinstance(error, TypeError)
        assert "must accept keyword argument 'variables'" in str(error)
    if place not in MODES:
        return
    with contrast("any variable, also one that isn't trainable"):
        assert raised(place.value, of(lambda x: frozen * x), 3.0) is None
    with contrast("or only assigns"):
        writes = of(lambda x: (w.assign(2.0, read_value=False), 2 * x)[1])
        assert raised(place.value, writes, 3.0) is None
    with contrast("also one that is an argument"):
        passed = tf.custom_gradient(lambda x, w: (x * w, lambda up: (up, up)))
        assert raised(place.value, lambda x: passed(x, w), 3.0) is None
    if place in (INSIDE, OUTSIDE, NESTED):
        with contrast("also in a `tf.py_function` or a `tf.numpy_function`"):
            for call in (tf.py_function, tf.numpy_function):
                in_python = of(lambda x, call=call: call(w.numpy, [], tf.float32) * x)
                assert same(place.value(in_python, 3.0), 6.0)
    with contrast("the backward pass raises it"):
        assert isinstance(raised(reads, tf.constant(3.0)), TypeError)


@pytest.mark.parametrize("place", MODES, ids=str)
def test_none_in_the_list(place):
    def product(x, v, w):
        @tf.custom_gradient
        def of_x(x):
            def grad(upstream, variables):
                gradients = {v.ref(): None, w.ref(): 7 * upstream}
                return 5 * upstream, [gradients[each.ref()] for each in variables]

            return v * w * x, grad

        return of_x(x)

    def and_another_path(x, v, w):
        return product(x, v, w) + 3 * v

    inputs = 1.0, tf.Variable(2.0, name="v"), tf.Variable(2.0, name="w")
    assert same(place.gradients(product, *inputs), [5.0, None, 7.0])
    with contrast("no gradient at all, also none from another path"):
        assert same(place.gradients(and_another_path, *inputs), [5.0, 3.0, 7.0])
    with contrast("all variables get no gradient"):
        assert place.gradients(product, *inputs)[2] == 7
