"""Promise: vjpcheck accepts right custom gradients, and rejects mutations of them.

The 13 functions are on no page. ``-s`` prints both shares.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
import tensorflow as tf

from vjpcheck import GradientError, check_custom_gradient

pytestmark = pytest.mark.tools

RNG = np.random.default_rng(28)
V, W = RNG.standard_normal(4), RNG.standard_normal(4)
POSITIVE = np.array([0.7, 1.9, 2.6])
M, N = RNG.standard_normal([3, 3]), RNG.standard_normal([3, 3])
IDS = [2, 0, 2, 1]
T = tf.transpose
phi = lambda x: tf.exp(-x * x / 2) / np.sqrt(2 * np.pi)  # noqa: E731
cdf = lambda x: (1 + tf.math.erf(x / np.sqrt(2))) / 2  # noqa: E731
softplus_tanh = lambda x: tf.tanh(tf.nn.softplus(x))  # noqa: E731
total = lambda x: tf.reduce_sum(x, -1, keepdims=True)  # noqa: E731
norm = lambda x: tf.sqrt(total(x * x))  # noqa: E731
mean = lambda x, axis=0: tf.reduce_mean(x, axis, keepdims=True)  # noqa: E731
later = lambda u: tf.concat([tf.zeros_like(u[:1]), u], 0)  # noqa: E731
same = lambda u: tf.concat([u, tf.zeros_like(u[:1])], 0)  # noqa: E731
rows = lambda u, n: tf.math.unsorted_segment_sum(u, IDS, n)  # noqa: E731


def mish(x, u, sign=1.0, inner=tf.sigmoid):
    t = softplus_tanh(x)
    return u * (t + sign * x * (1 - t * t) * inner(x))


def unit(x, u, sign=1.0, scale=norm):
    y = x / norm(x)
    return (u - sign * y * total(y * u)) / scale(x)


def squared_distances(x, y):
    return tf.reduce_sum((x[:, None] - y[None]) ** 2, -1)


def of_distances(x, y, u, factor=2.0, sign=-1.0):
    d = factor * u[:, :, None] * (x[:, None] - y[None])
    return tf.reduce_sum(d, 1), sign * tf.reduce_sum(d, 0)


def quadratic(x, A):
    return tf.einsum("i,ij,j->", x, A, x)


# The function, its arguments, the gradient function (arguments, then upstreams), mutants.
CASES: dict[str, tuple[Callable, tuple, Callable, list[Callable]]] = {
    "mish": (
        lambda x: x * softplus_tanh(x),
        (V,),
        mish,
        [
            lambda x, u: mish(x, u, sign=0.0),  # a term of the product rule
            lambda x, u: mish(x, u, sign=-1.0),
            lambda x, u: mish(x, u, inner=tf.ones_like),  # an inner derivative
        ],
    ),
    "gelu": (
        lambda x: x * cdf(x),
        (V,),
        lambda x, u: u * (cdf(x) + x * phi(x)),
        [
            lambda x, u: u * cdf(x),
            lambda x, u: u * (cdf(x) + x * phi(x) * np.sqrt(2)),
            lambda x, u: u * (cdf(x) + x * phi(x)) + 1e-3,  # a constant term
        ],
    ),
    "affine": (
        lambda x, A, b: x @ A + b,
        (M[:2], N, V[:3]),
        lambda x, A, b, u: (u @ T(A), T(x) @ u, tf.reduce_sum(u, 0)),
        [
            lambda x, A, b, u: (u @ A, T(x) @ u, tf.reduce_sum(u, 0)),  # no transpose
            lambda x, A, b, u: (u @ T(A), T(x) @ u, u),  # missing broadcast sum
            lambda x, A, b, u: (u @ T(A), T(x) @ u, tf.reduce_mean(u, 0)),
        ],
    ),
    "quadratic form": (
        quadratic,
        (V[:3], M),
        lambda x, A, u: (u * tf.linalg.matvec(A + T(A), x), u * x[:, None] * x),
        [
            lambda x, A, u: (2 * u * tf.linalg.matvec(A, x), u * x[:, None] * x),
            lambda x, A, u: (u * tf.linalg.matvec(A + T(A), x), x[:, None] * x),
            lambda x, A, u: (u * tf.linalg.matvec(A - T(A), x), u * x[:, None] * x),
        ],
    ),
    "log determinant": (
        lambda A: tf.linalg.slogdet(A)[1],
        (M,),
        lambda A, u: u * T(tf.linalg.inv(A)),
        [
            lambda A, u: u * tf.linalg.inv(A),
            lambda A, u: u / 2 * T(tf.linalg.inv(A)),
            lambda A, u: -u * T(tf.linalg.inv(A)),
        ],
    ),
    "unit vector": (
        lambda x: x / norm(x),
        (V,),
        unit,
        [
            lambda x, u: unit(x, u, sign=0.0),
            lambda x, u: unit(x, u, sign=-1.0),
            lambda x, u: unit(x, u, scale=lambda x: 1.0),
        ],
    ),
    "log softmax": (
        lambda x: tf.nn.log_softmax(x),
        (M[:2],),
        lambda x, u: u - tf.nn.softmax(x) * total(u),
        [
            lambda x, u: u - tf.nn.softmax(x) * u,
            lambda x, u: u - tf.nn.softmax(x) * mean(u, -1),
            lambda x, u: u - tf.nn.softmax(x),
        ],
    ),
    "Huber": (
        lambda x: tf.where(tf.abs(x) < 1, x * x / 2, tf.abs(x) - 0.5),
        (np.array([-2.3, -0.4, 0.6, 1.8]),),
        lambda x, u: u * tf.clip_by_value(x, -1, 1),
        [
            lambda x, u: u * x,  # wrong branch
            lambda x, u: u * tf.sign(x),
            lambda x, u: u * tf.minimum(x, 1),
        ],
    ),
    "squared distances": (
        squared_distances,
        (M, N[:2]),
        of_distances,
        [
            lambda x, y, u: of_distances(x, y, u, factor=1.0),
            lambda x, y, u: of_distances(x, y, u, sign=1.0),
            lambda x, y, u: of_distances(x, y, tf.ones_like(u)),
        ],
    ),
    "sum of neighbors": (
        lambda x: x[:-1] + 2 * x[1:],
        (V,),
        lambda x, u: same(u) + 2 * later(u),
        [
            lambda x, u: 2 * same(u) + later(u),  # swapped weights
            lambda x, u: same(u) + later(u),
            lambda x, u: u + 2 * later(u)[:-1],  # wrong shape
        ],
    ),
    "rows of a table": (
        lambda x: tf.gather(x, IDS),
        (M,),
        lambda x, u: rows(u, 3),
        [
            lambda x, u: tf.math.unsorted_segment_mean(u, IDS, 3),
            lambda x, u: tf.tensor_scatter_nd_update(
                tf.zeros_like(x), [[i] for i in IDS], u
            ),
            lambda x, u: rows(tf.concat([u[:-1], tf.zeros_like(u[:1])], 0), 3),
        ],
    ),
    "squared modulus": (
        lambda z: tf.math.real(z * tf.math.conj(z)),
        (V[:2] + 1j * W[:2],),
        lambda z, u: 2 * tf.cast(u, z.dtype) * z,
        [
            lambda z, u: 2 * tf.cast(u, z.dtype) * tf.math.conj(z),
            lambda z, u: tf.cast(u, z.dtype) * z,
            lambda z, u: 2 * u * tf.math.real(z),  # wrong dtype
        ],
    ),
    "power": (
        lambda x, p: x**p,
        (POSITIVE, V[:3]),
        lambda x, p, u: (u * p * x ** (p - 1), u * x**p * tf.math.log(x)),
        [
            lambda x, p, u: (u * p * x ** (p - 1), u * x**p),
            lambda x, p, u: (u * x ** (p - 1), u * x**p * tf.math.log(x)),
            lambda x, p, u: (u * x**p * tf.math.log(x), u * p * x ** (p - 1)),
        ],
    ),
}


@cache
def accepts(name: str, mutant: int | None = None) -> bool:
    forward, args, right, mutants = CASES[name]
    gradient = right if mutant is None else mutants[mutant]

    @tf.custom_gradient
    def function(*inputs):
        return forward(*inputs), lambda *up: gradient(*inputs, *up)

    try:
        with np.errstate(all="ignore"):
            check_custom_gradient(function, args)
    except GradientError as error:
        print(f"{name} {mutant}: {error}")
        return False
    return True


@pytest.mark.slow
def test_the_shares():
    assert len(CASES) == 13
    assert all(len(mutants) == 3 for *_, mutants in CASES.values())
    right = [accepts(name) for name in CASES]
    caught = [not accepts(name, n) for name in CASES for n in range(3)]
    print(f"accepted {np.mean(right):.1%} of {len(right)} right gradients")
    print(f"caught {np.mean(caught):.1%} of {len(caught)} mutations")
    assert np.mean(right) >= 0.98
    assert np.mean(caught) >= 0.95


@pytest.mark.parametrize("name", ["affine", "rows of a table"])
def test_two_of_them(name):
    assert accepts(name)
    assert not any(accepts(name, n) for n in range(3))
