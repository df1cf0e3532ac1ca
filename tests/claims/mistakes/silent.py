"""The claims of docs/mistakes/silent.md."""

import functools

import pytest
import tensorflow as tf

from tests.harness import (
    COMMON,
    EAGER,
    EVERYWHERE,
    FLOATS,
    PERSISTENT,
    VECTORIZED,
    contrast,
    same,
)

XLA = functools.partial(tf.function, jit_compile=True)
WRAPS = {
    "eager": lambda function: function,
    "outside": tf.function,
    "outside, XLA": XLA,
    "nested, outside": lambda function: tf.function(lambda x: tf.function(function)(x)),
}


class Setting:
    """A setting that a test changes between the two passes."""

    strength = 2.0


def scaled_by(read):
    """Multiply by what a function reads, anew in the backward pass."""

    @tf.custom_gradient
    def scaled(x):
        x = tf.identity(x)

        def grad(upstream):
            return upstream * tf.cast(read(), upstream.dtype)

        return x * tf.cast(read(), x.dtype), grad

    return scaled


@pytest.mark.parametrize("kind", ["global", "attribute"])
@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.name)
def test_late_global(kind, dtype):
    names = {"strength": 2.0}
    Setting.strength = 2.0
    read = {
        "global": lambda: names["strength"],
        "attribute": lambda: Setting.strength,
    }[kind]
    scaled, x = scaled_by(read), tf.constant(3, dtype)
    for place in EAGER, PERSISTENT:
        for strength in 7.0, 5.0:
            with tf.GradientTape(persistent=place is PERSISTENT) as tape:
                tape.watch(x)
                y = scaled(x)
            before = read()
            assert y == 3 * before
            names["strength"] = Setting.strength = strength
            gradient = tape.gradient(y, x)
            assert gradient == strength
            with contrast("the value of the forward pass"):
                assert gradient != before
    with contrast("so does a grad in a tf.function"):
        graph, before = tf.function(scaled), read()
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = graph(x)
        names["strength"] = Setting.strength = 9.0
        assert tape.gradient(y, x) == before


INSIDE_WRAPS = {"inside": tf.function, "inside, XLA": XLA}


@pytest.mark.parametrize("name", [*WRAPS, *INSIDE_WRAPS])
@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.name)
def test_late_variable(name, dtype):
    variable = tf.Variable(2, dtype=dtype, trainable=False)
    scaled = scaled_by(variable.read_value)

    def change_between(function, strength, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        forward = variable.read_value()
        variable.assign(strength)
        return tape.gradient(y, x), forward

    if name in WRAPS:
        change = functools.partial(change_between, WRAPS[name](scaled))
    else:
        change = INSIDE_WRAPS[name](functools.partial(change_between, scaled))
    for strength in 7, 5:
        gradient, forward = change(tf.constant(strength, dtype), tf.constant(3, dtype))
        assert gradient == strength
        with contrast("at the time of the forward pass"):
            assert gradient != forward


@tf.custom_gradient
def reverse(x):
    return 2 * x, lambda upstream: -2 * upstream


@tf.custom_gradient
def scale(x):
    return 3 * x, lambda upstream: -3 * upstream


def call(function, x):
    """Call a function, and take the value of a pair."""
    y = function(x)
    return y[0] if isinstance(y, tuple) else y


@pytest.mark.parametrize("options", [{}, {"autograph": False}, {"jit_compile": True}])
@pytest.mark.parametrize("ruled, factor", [(reverse, 2), (scale, 3)])
def test_removed(ruled, factor, options):
    graph = functools.partial(tf.function, **options)
    by_position, of_list = graph(call), graph(lambda fs, x: call(fs[0], x))
    of_dict = graph(lambda named, x: call(named["f"], x))
    arguments = {
        "by position": lambda x: by_position(ruled, x),
        "by keyword": lambda x: by_position(function=ruled, x=x),
        "in a list": lambda x: of_list([ruled], x),
        "in a dictionary": lambda x: of_dict({"f": ruled}, x),
    }
    for function in arguments.values():
        assert same(EAGER.gradient(function, 3.0), factor)
    kept = {
        "lambda": lambda x: by_position(lambda x: ruled(x), x),
        "partial": lambda x: by_position(functools.partial(ruled), x),
    }
    for function in kept.values():
        assert same(EAGER.gradient(function, 3.0), -factor)
    with contrast("from a function that it captures"):
        captured = graph(lambda x: call(ruled, x))
        assert same(EAGER.gradient(captured, 3.0), -factor)
    with contrast("any function to which you pass it, also tf.map_fn"):
        mapped = EAGER.gradient(lambda x: tf.map_fn(ruled, x[None])[0], 3.0)
        assert same(mapped, -factor)


@pytest.mark.parametrize("place", EVERYWHERE, ids=str)
def test_no_stop(place):
    @tf.custom_gradient
    def stops_output(x):
        x = tf.identity(x)
        return tf.stop_gradient(x * x), lambda upstream: upstream * 2 * x

    @tf.custom_gradient
    def stops_input(x):
        x = tf.stop_gradient(x)
        return tf.sin(x) * 3, lambda upstream: upstream * 5

    def functions(x, y, z):
        return [stops_output(x), stops_input(y), tf.stop_gradient(stops_output(z))]

    for dtype in FLOATS if place is EAGER else [tf.float32]:
        x, y, z = (tf.constant(3, dtype) for _ in range(3))
        *gradients, stopped = place.gradients(functions, x, y, z)
        assert same(gradients, [6.0, 5.0])
        with contrast("around the call, either"):
            assert stopped is None or stopped == 0
    if place is EAGER:
        with contrast("where it is dropped, either"):
            gradients = [place.gradient(stops_output, 3.0) for place in VECTORIZED]
            assert same(gradients, [0.0] * 3)


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_only_returned(place):
    kept, holder = [], Setting()

    @tf.custom_gradient
    def reversed_twice(x):
        x = tf.identity(x)
        kept.append(3 * x)
        holder.kept = 5 * x
        kept.append(x * x)
        return (kept[-1], x * 1), lambda *upstream: -sum(upstream)

    def functions(a, b, c, d):
        reversed_twice(a)
        of_list = kept[-2]
        reversed_twice(b)
        of_attribute = holder.kept
        reversed_twice(c)
        of_stored_output = kept[-1]
        return [of_list, of_attribute, of_stored_output, reversed_twice(d)[1]]

    for dtype in FLOATS if place is EAGER else [tf.float32]:
        inputs = [tf.constant(2, dtype) for _ in range(4)]
        *stored, stored_output, output = place.gradients(functions, *inputs)
        assert same(stored, [3.0, 5.0])
        with contrast("also if it is taken from the list, and equals the output"):
            assert same(stored_output, 4.0)
        with contrast("only to the first tensor that it returns"):
            assert same(output, -1.0)
