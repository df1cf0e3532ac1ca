"""The claims of docs/systems/ode.md."""

import pytest
import tensorflow as tf

from tests.harness import BLOCKS, MODES, contrast, same

IN_BLOCKS = [*BLOCKS[1:5], *BLOCKS[9:11]]  # branch, loop and map_fn, inside and outside


def taped_in_grad(is_copied, paths):
    """A product y p² whose grad computes the gradient of p by two tapes.

    Args:
        is_copied: whether `grad` copies p.
        paths: a list that gets, for each tape, whether it found a path to p.
    """

    @tf.custom_gradient
    def product(y, p):
        y, p = tf.identity(y), tf.identity(p)

        def grad(upstream):
            halves = []
            for _ in range(2):
                own = tf.identity(p) if is_copied else p
                with tf.GradientTape() as tape:
                    tape.watch(own)
                    half = 0.5 * y * own * own
                gradient = tape.gradient(half, own, upstream)
                paths.append(gradient is not None)
                halves.append(tf.zeros_like(p) if gradient is None else gradient)
            return upstream * p * p, sum(halves)

        return y * p * p, grad

    return product


@pytest.mark.parametrize("place", [*MODES, *IN_BLOCKS], ids=str)
def test_copy_in_grad(place):
    y, p = tf.constant(3.0), tf.constant(2.0)
    paths = []
    with_copy = place.gradients(taped_in_grad(True, paths), y, p)
    assert same(with_copy, [4.0, 12.0]) and all(paths)
    paths.clear()
    without_copy = place.gradients(taped_in_grad(False, paths), y, p)
    if place in IN_BLOCKS:
        assert not all(paths) and without_copy[1] < 12.0
    else:
        with contrast("in the gradient function of a plain call, too"):
            assert all(paths) and same(without_copy, [4.0, 12.0])
