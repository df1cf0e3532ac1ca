"""The claims of docs/guide/from_jax_pytorch.md."""

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import EAGER, EVERYWHERE, SYMBOLIC, contrast, program, raised, same


def silent_bwd(residuals, upstream):
    """The bwd of the page without its print, which XLA doesn't compile."""
    cos_x, sin_x, y = residuals
    return upstream * y * cos_x, upstream * sin_x


@tf.custom_gradient
def without_copies(x, y):
    """The same function without the copies of the inputs."""
    return tf.sin(x) * y, lambda upstream: (
        upstream * y * tf.cos(x),
        upstream * tf.sin(x),
    )


@pytest.mark.parametrize("place", EVERYWHERE, ids=str)
def test_ported_vjp(place):
    page = program("guide/from_jax_pytorch/custom_vjp.py")
    ported = page.custom_vjp(page.fwd, silent_bwd)
    x, y = tf.constant([2.0, -0.5]), tf.constant([3.0, 1.5])
    gradients = place.gradients(lambda x, y: ported(x, y) ** 2, x, y)
    sine, cosine = np.sin([2.0, -0.5]), np.cos([2.0, -0.5])
    right = [2 * sine * cosine * y * y, 2 * sine**2 * y]
    assert same(gradients, right, 1e-5)

    def of_x(x):
        return ported(x, 3.0 * tf.ones_like(x))

    if place is not SYMBOLIC:
        assert same(place.derivative(of_x, x, 2), -3 * sine, 1e-5)
    if "branch" in place.name:
        with contrast("without the copies of the inputs as well"):
            error = raised(
                place.derivative, lambda x: without_copies(x, 3.0 * tf.ones_like(x)), x
            )
            assert error is not None
    if place is EAGER:
        with contrast("right whatever bwd returns: it is the derivative"):
            swapped = page.custom_vjp(page.fwd, lambda *each: silent_bwd(*each)[::-1])
            assert not same(EAGER.gradients(swapped, x, y), right, 0.1)
