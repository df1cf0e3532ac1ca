"""The claims of docs/mistakes/types.md."""

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import COMPLEX, EAGER, EVERYWHERE, FLOATS, contrast, same


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
