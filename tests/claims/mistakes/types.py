"""The claims of docs/mistakes/types.md."""

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import (
    COMMON,
    COMPLEX,
    EAGER,
    EVERYWHERE,
    FLOATS,
    PERSISTENT,
    contrast,
    same,
)


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_converts_arguments(place):
    received = []

    @tf.custom_gradient
    def noting(x, settings):
        received.extend(settings)
        return x * 1, lambda upstream: (upstream, [None] * len(settings))

    settings = [True, 3, 2.5, np.int64(3), np.ones([2]), "a"]
    settings = settings if place is EAGER else settings[:-1]
    assert same(place.gradient(lambda x: noting(x, settings), 5.0), 1.0)
    if place in (EAGER, PERSISTENT):
        assert all(map(lambda a, b: a is b, received, settings))
    else:
        with contrast("in a graph, too, as you pass them"):
            assert len(received) >= len(settings)
            assert all(map(tf.is_tensor, received))
        with contrast("also what the function captures"):
            captured = []

            @tf.custom_gradient
            def capturing(x):
                captured.extend(settings)
                return x * 1, lambda upstream: upstream

            place.gradient(capturing, 5.0)
            assert not any(map(tf.is_tensor, captured))


@pytest.mark.parametrize("place", EVERYWHERE, ids=str)
def test_watches_floats(place):
    @tf.custom_gradient
    def doubled(x):
        def grad(upstream):
            return tf.cast(2 * upstream, x.dtype)

        return tf.cast(x, tf.complex128) * 2, grad

    def functions(*xs):
        ys = [tf.cast(tf.math.real(doubled(x)), tf.float32) for x in xs]
        return [*ys, *[tf.cast(x, tf.float32) * 2 for x in xs]]

    xs = [tf.constant(x) for x in (3, np.uint8(3), np.int64(3), True)]
    assert place.gradients(functions, *xs) == [None] * len(xs)
    if place is EAGER:
        with contrast("only float tensors"):
            for dtype in FLOATS + COMPLEX:
                x = tf.constant(3, dtype)
                gradient = place.gradient(lambda x: tf.math.real(doubled(x)), x)
                assert same(gradient, 2.0) and gradient.dtype == dtype
        with contrast("None also for a float tensor that is made from an integer"):
            x = tf.cast(xs[0], tf.float32)
            assert same(place.gradient(lambda x: x * x, x), 6.0)
