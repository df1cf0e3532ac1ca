"""The claims of docs/guide/layers.md."""

import warnings

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import COMMON, contrast, same

LABELS = np.array(
    [[0, 1, 1], [0, 0, 0], [0, 3, 0], [-1, 2, 0.5], [100, 0, 0], [0.25, 0.25, 0.5]]
)
"""Rows of labels, of which only the last sums to 1."""


WEIGHTS = [[1, 2, 3], [1, 0, 0], [0, 0, 1], [1, 2, 4]]
"""Upstream gradients, some of them 0 for a probability that rounds to 0."""


def two_steps_and_one(z):
    """Take a logarithm of a softmax in two steps, and of another one in one step."""
    steps = tf.math.log(tf.nn.softmax(z[0])), tf.nn.log_softmax(z[1])
    return tf.stack(steps) * tf.constant(WEIGHTS, z.dtype)


def row_losses(z):
    """Compute a multiple of TensorFlow's cross-entropy for each row of labels."""
    t = tf.constant(LABELS, z.dtype)
    y = tf.nn.softmax_cross_entropy_with_logits(labels=t, logits=z)
    return y * tf.cast(tf.range(2, 8), z.dtype)


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_rounds_to_zero(place):
    rows = [[2048, 0, 2048], [0, -2048, 0], [2048, 1920, 0], [1, 0, 2]]
    zs = [tf.constant([rows, rows], dtype) for dtype in place.dtypes]
    smallest = [tf.reduce_min(tf.nn.softmax(z[0, :3]), 1) for z in zs]
    assert same(smallest, [[0, 0, 0]] * len(zs))
    for z, gradient in zip(zs, place.each(two_steps_and_one, zs)):
        in_two_steps, in_one_step = tf.cast(gradient, tf.float64)
        assert np.isnan(in_two_steps[:3]).all()
        assert np.isfinite(in_one_step).all()
        with contrast("only at the probability that rounds to 0, not in the whole row"):
            assert np.isnan(in_two_steps[0, 0]) and np.isnan(in_two_steps[1, 2])
        with contrast("in all rows"):
            rel = 0.1 if z.dtype.size == 2 else 1e-5
            assert same(in_two_steps[3], in_one_step[3], rel)


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_any_labels(place):
    zs = [tf.constant([[1, 2, 3]] * len(LABELS), dtype) for dtype in place.dtypes]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gradients = place.each(row_losses, zs)
    p, weights = tf.nn.softmax([1.0, 2.0, 3.0]), np.arange(2, 8)[:, None]
    for z, gradient in zip(zs, gradients):
        rel = 0.02 if z.dtype.size == 2 else 1e-5
        assert same(gradient, weights * (p - LABELS), rel)
    z, step = np.tile([1.0, 2.0, 3.0], [len(LABELS), 1]), 1e-4
    right = np.transpose(
        [(row_losses(z + v) - row_losses(z - v)) / (2 * step) for v in step * np.eye(3)]
    )
    sums = np.sum(LABELS, 1)
    assert same(right, weights * (p * sums[:, None] - LABELS), 1e-5)
    for at in np.flatnonzero(sums != 1):
        assert not same(gradients[-1][at], right[at], 0.1)
    with contrast("wrong also if the labels sum to 1"):
        assert same(gradients[-1][-1], right[-1], 0.02)
    with contrast("p times the sum of the labels, minus t"):
        assert not same(gradients[-1][0], right[0], 0.1)
