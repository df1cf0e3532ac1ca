"""The claims of docs/guide/matrices.md."""

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

from tests.harness import (
    COMMON,
    EAGER,
    EVERYWHERE,
    INSIDE,
    NESTED,
    OUTSIDE,
    SYMBOLIC,
    contrast,
    raised,
    same,
)


def cofactors(X):
    """Compute the matrix of cofactors from its definition."""
    X = np.asarray(X, np.float64)

    def cofactor(i, j):
        minor = np.delete(np.delete(X, i, 0), j, 1)
        return (-1) ** (i + j) * np.linalg.det(minor)

    size = range(len(X))
    return np.array([[cofactor(i, j) for j in size] for i in size])


def singular(seed):
    """Draw a 3×3 matrix of integers whose last column depends on the others."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-5, 6, (3, 3)).astype(float)
    X[:, -1] = X[:, :-1] @ rng.integers(-2, 3, 2)
    return X


def inverse_of_transpose(X):
    """Invert the transposed matrix, as TensorFlow's gradient of the determinant does."""
    return tf.linalg.inv(X, adjoint=True)


def weighted_factor(X, weights):
    """Multiply the Cholesky factor by weights, so that they are its upstream gradient."""
    return weights * tf.linalg.cholesky(X)


def both_transposes(*arrays):
    """Transpose each array by both functions."""
    return [(tf.transpose(x), tf.linalg.matrix_transpose(x)) for x in arrays]


@pytest.mark.parametrize(
    "dtype", [tf.float32, tf.float64], ids=lambda dtype: dtype.name
)
@pytest.mark.parametrize("place", [EAGER, INSIDE, OUTSIDE, NESTED, SYMBOLIC], ids=str)
def test_singular_by_inverse(place, dtype):
    errors, deviations = 0, []
    matrices = [np.zeros([3, 3]), np.ones([3, 3]), *map(singular, range(20))]
    for X in (tf.constant(X, dtype) for X in matrices):
        error = raised(place.gradient, tf.linalg.det, X)
        if raised(inverse_of_transpose, X):
            assert isinstance(error, tf.errors.InvalidArgumentError)
            assert "not invertible" in str(error)
            errors += 1
            continue
        assert error is None
        gradient = place.gradient(tf.linalg.det, X)
        assert same(gradient, tf.linalg.det(X) * inverse_of_transpose(X), 1e-6)
        right = cofactors(X)
        deviations.append(np.abs(gradient - right).max() / np.abs(right).max())
    assert errors > 2
    with contrast("always an error"):
        assert len(deviations) > 2
    with contrast("the cofactors, which are the derivative at every matrix"):
        assert max(deviations) > 0.01
    regular = tf.constant([[2.0, 1.0], [5.0, 3.0]], dtype)
    with contrast("also at an invertible matrix"):
        assert same(place.gradient(tf.linalg.det, regular), [[3, -5], [-1, 2]], 1e-4)


@pytest.mark.parametrize("place", EVERYWHERE, ids=str)
@given(seed=st.integers(0, 10**6))
def test_lower_triangle(place, seed):
    rng = np.random.default_rng(seed)
    Y = np.tril(rng.standard_normal([4, 3, 3])) + 3 * np.eye(3)
    X = Y @ np.swapaxes(Y, 1, 2)
    above = np.triu(np.ones([3, 3]), 1)
    weights = tf.constant(rng.standard_normal([4, 3, 3]))
    changes = np.array([0.0, 100.0, np.inf, np.nan])[:, None, None]
    changed = np.where(above == 1, X + changes, X)
    plain, other = (
        place.gradients(weighted_factor, M, weights)[0] for M in (X, changed)
    )
    values = [tf.linalg.cholesky(M) for M in (X, changed)]
    assert same(*values, 1e-9) and same(plain, other, 1e-9)
    assert same(plain, tf.linalg.matrix_transpose(plain), 1e-9)
    with contrast("only the upper triangle"):
        lower = X + 0.1 * np.tril(np.ones([3, 3]), -1)
        assert not same(tf.linalg.cholesky(lower), values[0], 1e-9)
    with contrast("its gradient is triangular, because it doesn't depend on the rest"):
        assert np.all(np.abs(plain[:, 0, 2]) > 0)


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_reverses_all_axes(place):
    stacks = [(2, 3), (2, 3, 4), (2, 2, 2), (2, 0, 3), (2, 3, 1, 4)]
    xs = [np.arange(np.prod(shape)).reshape(shape) for shape in stacks]
    xs = [tf.constant(x, dtype) for x in xs for dtype in place.dtypes]
    values = place.value(both_transposes, *xs)
    for x, (reverses, exchanges) in zip(xs, values):
        axes = [*range(len(x.shape))]
        assert same(reverses, tf.transpose(x, axes[::-1]))
        assert same(exchanges, tf.transpose(x, [*axes[:-2], axes[-1], axes[-2]]))
    with contrast("exchanges the last two axes, as for a matrix"):
        assert values[-1][0].shape == [4, 1, 3, 2]
    with contrast("all axes but the first, which is the batch axis"):
        assert same(values[2 * len(place.dtypes)][0][0], [[0, 4], [2, 6]])
