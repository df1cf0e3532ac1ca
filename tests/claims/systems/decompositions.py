"""The claims of docs/systems/decompositions.md."""

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import (
    EAGER,
    FLOATS,
    INSIDE,
    OUTSIDE,
    XLA,
    contrast,
    derivative,
    message,
    raised,
    same,
)

PLAIN = [EAGER, INSIDE, OUTSIDE]


def random(seed, *shape):
    """Return normal random numbers."""
    return np.random.default_rng(seed).standard_normal(shape)


def of_eigenvalues(values, seed):
    """Return a symmetric matrix with these eigenvalues and random eigenvectors."""
    Q = np.linalg.qr(random(seed, len(values), len(values)))[0]
    return (Q * np.array(values)) @ Q.T


def difference(function, A, D, h=1e-5):
    """Return the derivative along D, by central differences."""
    return (function(A + h * D) - function(A - h * D)) / (2 * h)


def along(gradient, D):
    """Return the derivative along D that belongs to a gradient."""
    return np.sum(np.real(np.conj(tf.convert_to_tensor(gradient)) * D))


def projector(A):
    """Return the projector to the first eigenvector of each matrix."""
    v = tf.linalg.eigh(A)[1][..., :1]
    return v @ tf.linalg.adjoint(v)


OPERATIONS = {
    "eigvalsh": tf.linalg.eigvalsh,
    "eigh": projector,
    "svd, values": lambda A: tf.linalg.svd(A, compute_uv=False),
    "svd": lambda A: (u := tf.linalg.svd(A)[1][..., :1]) @ tf.linalg.adjoint(u),
    "qr": lambda A: tf.linalg.qr(A)[1],
    "cholesky": tf.linalg.cholesky,
    "sqrtm": tf.linalg.sqrtm,
    "expm": tf.linalg.expm,
    "lstsq": lambda A: tf.linalg.lstsq(A[..., :2], A[..., 2:] ** 2),
}


def weighted(function):
    """Return a real loss of matrices that gives each element of a result a weight."""

    def loss(A):
        y = tf.math.real(function(A))
        shape = tf.shape(y)[len(A.shape) - 2 :]  # without the axes of the batch
        weights = tf.reshape(tf.range(1, 1 + tf.reduce_prod(shape)), shape)
        return tf.reduce_sum(tf.cast(weights, y.dtype) * y)

    return loss


@pytest.mark.parametrize("place", [*PLAIN, XLA], ids=str)
def test_lower_triangle(place):
    def losses(A):
        values, vectors = tf.linalg.eigh(A)
        of_vectors = tf.reduce_sum(vectors**2 * [[1.0], [2.0], [5.0]], [-1, -2])
        cubes = tf.reduce_sum(tf.linalg.eigvalsh(A) ** 3, -1)
        return tf.stack([values[..., 0], cubes, of_vectors], -1)

    M = random(0, 3, 3)
    A = M + M.T
    upper, lower = A + np.triu(random(1, 3, 3), 1), A + np.tril(random(1, 3, 3), -1)
    values = place.value(losses, np.stack([A, upper, lower]))
    assert same(values[0], values[1], 1e-5)
    gradient = place.gradient(losses, A).numpy()
    assert not np.triu(gradient, 1).any() and gradient[np.tril_indices(3)].all()
    D = random(2, 3, 3)
    D = D + D.T
    right = difference(lambda A: np.sum(losses(tf.constant(A))), A, D)
    assert np.isclose(along(gradient, D), right, 1e-5)
    with contrast("both triangles: a change of the lower one alone changes the result"):
        assert not same(values[0], values[2], 1e-5)
    with contrast("put half of the gradient into each triangle, as tf.linalg.cholesky"):
        positive = M @ M.T + np.eye(3)
        if place is EAGER:
            of_root = EAGER.gradient(tf.linalg.cholesky, positive)
            assert same(of_root, tf.transpose(of_root), 1e-9)


def errors_in(dtype, function, values, right, count=100):
    """Return the relative errors of symmetric gradients for random matrices.

    Args:
        dtype: in which the gradient is computed.
        function: of a matrix.
        values: the eigenvalues of the matrices.
        right: takes a matrix and the weights of the loss, and returns the gradient.
        count: of the matrices.
    """
    errors = []

    def loss(A, W):
        return tf.reduce_sum(W * function(A))

    for seed in range(count):
        A, W = of_eigenvalues(values, seed), random(seed + 1000, 3, 3)
        W = W + W.T
        gradient, _ = EAGER.gradients(loss, tf.cast(A, dtype), tf.cast(W, dtype))
        symmetric = (gradient + tf.transpose(gradient)).numpy() / 2
        exact = right(A, W)
        errors.append(np.linalg.norm(symmetric - exact) / np.linalg.norm(exact))
    return np.array(errors)


def test_projector_in_float32():
    def of_two(A):
        V = tf.linalg.eigh(A)[1][:, :2]
        return tf.matmul(V, V, transpose_b=True)

    def right(A, W):
        values, V = np.linalg.eigh(A)
        K = np.zeros([3, 3])
        K[:2, 2] = K[2, :2] = 1 / (values[:2] - values[2])
        return V @ (K * (V.T @ W @ V)) @ V.T

    values = [1, 1, 3]
    assert np.median(errors_in(tf.float32, of_two, values, right)) > 0.10  # 10 %
    assert errors_in(tf.float64, of_two, values, right).max() < 1e-8
    with contrast("also if the first two eigenvalues are 1 and 2"):
        apart = [1, 2, 3]

        def right_apart(A, W):
            return EAGER.gradient(lambda A: tf.reduce_sum(W * of_two(A)), A).numpy()

        def symmetric(A, W):
            return (right_apart(A, W) + right_apart(A, W).T) / 2

        assert errors_in(tf.float32, of_two, apart, symmetric, 5).max() < 1e-3


@pytest.mark.parametrize("place", [*PLAIN, XLA], ids=str)
def test_safe_reciprocal(place):
    def loss(A):
        V = tf.linalg.eigh(A)[1]
        return V[..., 0, 1] * V[..., 1, 1]

    gaps = np.float64([1.0, 1e-2, 1e-9, 1e-10, 3e-11, 1e-12, 0.0])
    matrices = tf.linalg.diag(np.stack([np.ones_like(gaps), 1 + gaps], -1))
    gaps = matrices[:, 1, 1].numpy() - 1  # as rounded
    gradients = place.gradient(loss, matrices)
    of_gap = np.abs(gradients[:, 1, 0])
    assert np.allclose(of_gap, gaps / (gaps**2 + 1e-20), 1e-6, 0)
    with contrast("the reciprocal where the gap isn't 0"):
        at = gaps.tolist().index(gaps[3])
        assert np.isclose(gaps[at] * of_gap[at], 0.5, 1e-3)
    with contrast("NaN or infinity at a gap of 0"):
        assert of_gap[-1] == 0.0
    if place is EAGER:
        small = np.float32([[1, 0], [0, 1 + 1e-6]])
        gap = np.float64(small[1, 1]) - 1
        in_float32 = np.abs(EAGER.gradient(loss, small)[1, 0])
        assert np.isclose(in_float32, 1 / gap, 1e-5)


@pytest.mark.parametrize("place", [EAGER, OUTSIDE], ids=str)
@pytest.mark.parametrize("name", ["sqrtm", "expm"])
def test_equal_eigenvalues(place, name):
    own, f = {"sqrtm": (tf.linalg.sqrtm, tf.sqrt), "expm": (tf.linalg.expm, tf.exp)}[
        name
    ]

    def by_vectors(A):
        values, V = tf.linalg.eigh(A)
        return tf.matmul(V * f(values)[..., None, :], V, transpose_b=True)

    W, D = random(1, 3, 3), np.zeros([3, 3])
    D[0, 1] = D[1, 0] = 1.0  # between the equal eigenvalues
    for values in ([1.0, 1.0, 1.0], [2.0, 2.0, 5.0]):
        A = np.diag(values)
        right = difference(lambda A: np.sum(W * own(A)), A, D)
        wrong = place.gradient(lambda A: tf.reduce_sum(W * by_vectors(A)), A)
        assert np.isfinite(wrong).all() and not np.isclose(along(wrong, D), right, 0.01)
        of_own = place.gradient(lambda A: tf.reduce_sum(W * own(A)), A)
        assert np.isclose(along(of_own, D), right, 1e-5)
    with contrast("silently wrong if all eigenvalues differ, too"):
        A = np.diag([1.0, 2.0, 5.0])
        right = difference(lambda A: np.sum(W * own(A)), A, D)
        apart = place.gradient(lambda A: tf.reduce_sum(W * by_vectors(A)), A)
        assert np.isclose(along(apart, D), right, 1e-5)


def positive(seed, is_complex=False, n=3):
    """Return a symmetric or Hermitian matrix with positive eigenvalues."""
    M = random(seed, n, n) + (1j * random(seed + 50, n, n) if is_complex else 0)
    return M @ np.conj(M.T) / n + np.eye(n)


@pytest.mark.parametrize("name", OPERATIONS)
def test_hermitian_gradients(name):
    if name == "lstsq":
        return
    loss = weighted(OPERATIONS[name])
    A, D = positive(0, True)[None], positive(5, True)[None]
    right = difference(lambda A: loss(tf.constant(A)).numpy(), A, D)
    for place in (EAGER, OUTSIDE):
        slope = along(place.gradient(loss, tf.constant(A)), D)
        if name != "sqrtm":
            assert np.isclose(slope, right, 1e-4)
        else:
            with contrast("`tf.linalg.sqrtm`, too"):
                assert not np.isclose(slope, right, 1e-3)
    if name != "sqrtm":
        in_complex64 = EAGER.gradient(loss, tf.constant(A, tf.complex64))
        assert np.isclose(along(in_complex64, D), right, 1e-2)


SHAPES = [(3, 3), (3, 2), (4, 2), (5, 2), (3, 1), (2, 3), (2, 4), (1, 3), (2, 4, 2)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_full_matrices(shape):
    A, D = random(0, *shape), random(1, *shape)
    rows, columns = shape[-2:]

    def qr(full):
        return lambda A: tf.linalg.qr(A, full_matrices=full)[1] ** 2

    def svd(full):
        return lambda A: tf.linalg.svd(A, full_matrices=full)[1] ** 2

    def is_right(function):
        gradient = EAGER.gradient(function, A)
        right = difference(lambda A: np.sum(function(tf.constant(A))), A, D)
        return np.isclose(along(gradient, D), right, 1e-4, 1e-7)

    raises_qr, raises_svd = rows > columns, abs(rows - columns) > 1
    for place in (EAGER, INSIDE, OUTSIDE) if shape == (4, 2) else (EAGER,):
        assert (raised(place.gradient, qr(True), A) is not None) == raises_qr
        assert (raised(place.gradient, svd(True), A) is not None) == raises_svd
    with contrast("raises an error with `full_matrices=False`, too"):
        assert is_right(qr(False)) and is_right(svd(False))
    with contrast("the gradient of `tf.linalg.qr` raises an error for a wide matrix"):
        assert raises_qr or is_right(qr(True))
    with contrast("the gradient of `tf.linalg.svd` raises an error for sides 2 and 3"):
        assert raises_svd or is_right(svd(True))


@pytest.mark.parametrize(
    "shape", [[None, None], [3, None], [None, 3], [2, 3, None], None], ids=str
)
def test_unknown_sides(shape):
    A = tf.constant([positive(0)] * 2 if shape == [2, 3, None] else positive(0))
    words = "unknown inner matrix shape" if shape else "not subscriptable"
    spec = [tf.TensorSpec(shape, tf.float64)]

    def error(function):
        inside = tf.function(derivative(function), input_signature=spec)
        outside = derivative(tf.function(function, input_signature=spec))
        messages = message(inside, A), message(outside, A)
        assert bool(messages[0]) == bool(messages[1])
        return messages[0]

    for full in (False, True):
        by_qr = error(lambda A, full=full: tf.linalg.qr(A, full_matrices=full)[1])
        by_svd = error(lambda A, full=full: tf.linalg.svd(A, full_matrices=full)[1])
        assert "implemented with dynamic shapes" in by_qr and words in by_svd
    with contrast("the singular values alone raise an error, too"):
        assert not error(lambda A: tf.linalg.svd(A, compute_uv=False))
    with contrast("`tf.linalg.eigh` raises an error, too"):
        assert not error(lambda A: tf.linalg.eigh(A)[1])


@pytest.mark.parametrize("place", PLAIN, ids=str)
def test_no_gradient(place):
    for shape in ((4, 2), (2, 4), (3, 3)):
        X, b = random(0, *shape), random(1, shape[0], 1)
        for is_fast in (True, False):

            def fit(X, b=b, is_fast=is_fast):
                return tf.linalg.lstsq(X, b, fast=is_fast)

            error = message(place.gradient, fit, X)
            if is_fast:
                with contrast("of `tf.linalg.lstsq` with `fast=True`, too"):
                    assert not error
            else:
                assert "Gradient not defined for fast=False" in error
    for dtype in (tf.complex64, tf.complex128):
        matrix = tf.eye(2, dtype=dtype)
        assert "MatrixLogarithm" in message(place.gradient, tf.linalg.logm, matrix)
        with contrast("that of `tf.linalg.expm`, too"):
            assert not message(place.gradient, tf.linalg.expm, matrix)
    if place is EAGER:
        for dtype in FLOATS[2:]:
            b = tf.ones([2, 1], dtype)
            error = message(
                EAGER.gradient,
                lambda b: tf.linalg.lstsq(tf.eye(2, dtype=b.dtype), b, fast=False),
                b,
            )
            assert "Gradient not defined for fast=False" in error
