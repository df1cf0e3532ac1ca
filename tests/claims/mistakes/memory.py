"""The claims of docs/mistakes/memory.md."""

import gc
import weakref

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.python.framework import ops  # the registry has no public name

from tests.harness import contrast, message, same


class Steps:
    """A function of several steps that counts how many of their results are alive."""

    def __init__(self, step, count):
        self.step, self.count = step, count
        self.results = []
        self.most = 0

    def __call__(self, x):
        for _ in range(self.count):
            x = self.step(x)
            self.results.append(weakref.ref(x))
            self.most = max(self.most, self.alive)
        return x

    @property
    def alive(self):
        """The number of results that are in memory."""
        return sum(result() is not None for result in self.results)


def taped(function, x=1.0, persistent=False):
    """Call a function under a tape; return the tape, the result and the input."""
    x = tf.constant(x)
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        y = function(x)
    return tape, y, x


READ = [tf.sin, tf.exp, lambda x: x * x * 0.5]
"""Steps whose gradient reads their input or output."""


@pytest.mark.parametrize("shape", [(), (2, 3)], ids=str)
@pytest.mark.parametrize("count", [4, 20])
@pytest.mark.parametrize("step", READ)
def test_second_run(step, count, shape):
    x = np.full(shape, 0.1, np.float32)
    steps = Steps(step, count)
    tape, y, source = taped(tf.recompute_grad(steps), x)
    assert steps.alive == 1 and steps.most <= 3  # the output, and one step's results
    steps.most = 0
    gradient = tape.gradient(y, source)
    assert len(steps.results) == 2 * count
    assert steps.most in (count, count + 1)  # with or without the first output
    plain, z, at = taped(Steps(step, count), x)
    assert same(gradient, plain.gradient(z, at), 1e-5)
    with contrast("one after the other"):
        half = Steps(step, count // 2)
        recomputed = tf.recompute_grad(half)
        tape, y, source = taped(lambda x: recomputed(recomputed(x)), x)
        half.most = 0
        tape.gradient(y, source)
        assert half.most <= count // 2 + 2
    with contrast("also those that no gradient reads"):
        sums = Steps(tf.negative, count)
        tape, y, source = taped(tf.recompute_grad(sums), x)
        sums.most = 0
        tape.gradient(y, source)
        assert sums.most <= 3


@pytest.mark.parametrize("requests", [1, 3])
@pytest.mark.parametrize("count", [2, 20])
@pytest.mark.parametrize("step", READ[:2])
def test_until_deleted(step, count, requests):
    for persistent in True, False:
        steps = Steps(step, count)
        tape, y, x = taped(steps, 0.1, persistent)
        assert steps.alive == count
        for _ in range(requests if persistent else 1):
            tape.gradient(y, x)
        assert steps.alive == (count if persistent else 1)
        del y
        if persistent:
            with contrast("as long as its target exists"):
                assert steps.alive >= count - 1
        del tape
        assert steps.alive == 0
    with contrast("until its block ends"):
        _tape, _, _ = taped(steps := Steps(step, count))
        assert steps.alive >= count - 1


def registered():
    """The names of the gradient functions that custom gradients have registered."""
    return {name for name in ops.gradient_registry.list() if "CustomGradient-" in name}


@pytest.mark.parametrize("calls", [1, 3])
@pytest.mark.parametrize("decorate", [tf.custom_gradient, tf.recompute_grad])
def test_stays_registered(calls, decorate):
    graphs = []

    def square(x):
        graphs.append(weakref.ref(tf.compat.v1.get_default_graph()))
        return x * x

    def repeated(function):
        def model(x):
            for _ in range(calls):
                x = function(x)
            return x

        return tf.function(model)

    by_rule = tf.custom_gradient(lambda x: (square(x), lambda upstream: upstream))
    decorated = by_rule if decorate is tf.custom_gradient else decorate(square)
    before = registered()
    model = repeated(decorated)
    model(tf.constant(3.0))
    left = registered() - before
    del model
    gc.collect()
    assert len(left) == calls and left <= registered()
    assert graphs[0]() is not None
    with contrast("as a tf.function without a custom gradient does"):
        graphs.clear()
        model = repeated(square)
        model(tf.constant(3.0))
        assert graphs[0]() is not None
        del model
        gc.collect()
        assert graphs[0]() is None
    with contrast("also a decorated function that runs eagerly"):
        before = registered()
        decorated(tf.constant(3.0))
        assert registered() == before


FAILING = {
    tf.map_fn: lambda row: tf.reshape(row, [3]),
    tf.scan: lambda _, row: tf.reshape(row, [3]),
    tf.foldl: lambda _, row: tf.reshape(row, [3]),
}
"""Loops, with a body that fails for rows of two elements."""
FUNCTIONS = [lambda x: x * x, lambda x: 2.0 * tf.sin(x)]


def reset():
    scope = tf.compat.v1.get_variable_scope()
    tf.function(lambda: scope.set_caching_device(None))()


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("loop", FAILING)
def test_device_stays(loop, function):
    recomputed = tf.recompute_grad(function)
    right = gradient_of(function)(tf.constant([3.0, 1.0]))
    gradient, x = gradient_of(recomputed), tf.constant([3.0, 1.0])
    fails = tf.function(lambda rows: loop(FAILING[loop], rows))
    try:
        assert message(fails, tf.ones([2, 2]))
        for _ in range(2):
            assert message(gradient, x).startswith("NotImplementedError: Caching dev")
        with contrast("also inside a tf.function"):
            assert same(tf.function(gradient)(x), right)
        with contrast("of all functions"):
            assert same(gradient_of(function)(x), right)
    finally:
        reset()
    assert same(gradient(x), right)
    with contrast("after a failure in eager mode, too"):
        assert message(lambda rows: loop(FAILING[loop], rows), tf.ones([2, 2]))
        assert same(gradient(x), right)


def gradient_of(function):
    """Return the function that computes the gradient of the sum by a tape."""

    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    return gradient
