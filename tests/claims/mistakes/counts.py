"""The claims of docs/mistakes/counts.md."""

import contextlib
import functools
import re

import keras
import pytest
import tensorflow as tf

from tests.harness import (
    BLOCKS,
    COMMON,
    EAGER,
    GRAPHS,
    INSIDE,
    MODES,
    NESTED,
    OUTSIDE,
    SYMBOLIC,
    UNKNOWN,
    XLA,
    contrast,
    message,
    same,
)


def returning(count, outputs=1):
    """A sum whose gradient function returns so many gradients."""

    @tf.custom_gradient
    def rule(*terms):
        value = tf.add_n([tf.identity(term) for term in terms])
        return [value] * outputs, lambda *upstreams: [upstreams[0]] * count

    return lambda *terms: tf.add_n(rule(*terms))


def scaled(count):
    """A product and a sum whose gradient function returns so many gradients."""

    @tf.custom_gradient
    def rule(x, factor=2.0, shifts=0.0):
        factor = tf.cast(factor, x.dtype)

        def grad(upstream):
            return [upstream * factor, *[None] * (count - 1)]

        shift = tf.add_n([tf.cast(part, x.dtype) for part in tf.nest.flatten(shifts)])
        return x * factor + shift, grad

    return rule


WRONG_COUNT = re.compile("expected to return|too few gradients|Num gradients")


@pytest.mark.parametrize("place", MODES, ids=str)
def test_of_the_call(place):
    def is_wrong(count, call):
        error = message(place.gradient, functools.partial(call, scaled(count)), 5.0)
        assert not error or WRONG_COUNT.search(error)
        return bool(error)

    calls = {
        1: lambda rule, x: rule(x),
        2: lambda rule, x: rule(x, 3.0),
        3: lambda rule, x: rule(x, 3, tf.constant(5.0)),
        4: lambda rule, x: rule(x, 3, [tf.constant(5.0), 1]),
    }
    for inputs, call in calls.items():
        gradient = place.gradient(functools.partial(call, scaled(inputs)), 5.0)
        assert same(gradient, 2.0 if inputs == 1 else 3.0)
        for count in calls if place is EAGER else {inputs - 1, inputs + 1} - {0}:
            assert is_wrong(count, call) == (count != inputs)
        if inputs < 3:
            with contrast("the parameters of the function, of which there are 3"):
                assert is_wrong(3, call)
        if inputs == 4:
            with contrast("a list is one input"):
                assert is_wrong(3, call)
    if place is EAGER:
        with contrast("also an argument by keyword"):
            by_name = lambda rule, x: rule(x, factor=3.0)
            assert not is_wrong(1, by_name) and is_wrong(2, by_name)


@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("inputs", [1, 2])
@pytest.mark.parametrize("place", [INSIDE, XLA, UNKNOWN[0]], ids=str)
def test_too_few(place, inputs, outputs):
    xs = [2.0, 3.0][:inputs]
    for count in {0, 1, 2, 3} - {inputs}:
        error = message(place.gradients, returning(count, outputs), *xs)
        expected, received = inputs + outputs, count + outputs
        numbers = f"Expected {expected} but received {received}"
        assert f"returned too few gradients. {numbers}" in error
    right = place.gradients(returning(inputs, outputs), *xs)
    assert same(right, [1.0] * inputs)
    if (place, inputs, outputs) == (INSIDE, 2, 1):
        with contrast("eagerly, too"):
            error = message(EAGER.gradients, returning(3), *xs)
            assert "expected to return 2 gradients, but returned 3" in error
        with contrast("in each graph, also with the tape outside or in a branch"):
            for other in OUTSIDE, NESTED, SYMBOLIC, BLOCKS[1]:
                error = message(other.gradients, returning(3), *xs)
                assert "do not match num inputs 3" in error and "too few" not in error
        with contrast("the numbers of a registered gradient also count the outputs"):
            with contextlib.suppress(KeyError):  # a gradient is registered once
                tf.RegisterGradient("TruncateMod")(lambda op, upstream: upstream)
            error = message(
                place.gradients, lambda x, y: tf.raw_ops.TruncateMod(x=x, y=y), *xs
            )
            assert "too few gradients. Expected 2 but received 1" in error


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_rejects_keywords(place):
    runs = []

    @tf.custom_gradient
    def scaled(x, factor=2.0):
        runs.append(factor)
        return x * factor, lambda upstream: 70 * upstream

    calls = {
        "the input": lambda x: scaled(x=x),
        "a setting": lambda x: scaled(x, factor=3.0),
        "by a partial": lambda x: functools.partial(scaled, factor=3.0)(x),
    }
    for call in calls.values():
        error = message(place.gradient, call, 5.0)
        if place in MODES and place not in GRAPHS:
            with contrast("eagerly, too"):
                assert not error and runs
        else:
            assert error.startswith("ValueError")
            assert "supports keywords arguments only when eager" in error
            with contrast("after the function has run"):
                assert not runs
    with contrast("also a keyword of the tf.function above the decorated function"):
        assert tf.function(scaled)(x=tf.constant(5.0), factor=3.0) == 15


@pytest.mark.parametrize("base", [object, tf.Module, keras.layers.Layer])
@pytest.mark.parametrize("place", COMMON, ids=str)
def test_no_self(place, base):
    def scale(returned):
        class Scale(base):
            factor = 3.0

            @tf.custom_gradient
            def scaled(self, x):
                return self.factor * x, lambda upstream: returned(self, upstream)

        return Scale

    right = scale(lambda self, upstream: self.factor * upstream)
    assert same(place.gradient(right().scaled, 5.0), 3.0)
    if base is object:
        with contrast("self is an input, so that grad returns None for it"):
            wrong = scale(lambda self, upstream: (None, 3 * upstream))
            assert message(place.gradient, wrong().scaled, 5.0)
    if place in MODES[:4]:
        with contrast("also if it is called on the class, with the object as argument"):
            assert message(place.gradient, lambda x: right.scaled(right(), x), 5.0)
        with contrast("also if tf.function is above tf.custom_gradient"):

            class InGraph(right):
                scaled = tf.function(right.scaled)

            for call in InGraph().scaled, lambda x: InGraph.scaled(InGraph(), x):
                assert message(place.gradient, call, 5.0)
            assert same(place.gradient(tf.function(right().scaled), 5.0), 3.0)
