"""The claims of docs/guide/steps.md."""

import hypothesis
import hypothesis.extra.numpy
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

from tests.harness import contrast, message, program, raised, same

XLA = tf.function(jit_compile=True)
WRAPS = {"eager": lambda f: f, "tf.function": tf.function, "XLA": XLA}
WRAP = pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)


def complex_step(function, x, v=1.0, h=1e-20):
    """The derivative of a real function along v, by a complex step."""
    x = np.asarray(x, float)
    y = function(tf.complex(tf.constant(x), tf.constant(h * v * np.ones_like(x))))
    return np.asarray(tf.math.imag(tf.cast(y, tf.complex128))) / h


def test_hypothesis_shrinks():
    check_gradient = program("guide/checking/checking.py").check_gradient
    whole_batch = program("guide/steps/wrong/properties.py").whole_batch
    shapes = hypothesis.extra.numpy.array_shapes(
        min_dims=1, max_dims=2, min_side=0, max_side=3
    )
    inputs = hypothesis.extra.numpy.arrays(
        np.float64, shapes, elements=st.floats(0.5, 2)
    )
    tried = []

    @hypothesis.settings(
        deadline=None,
        database=hypothesis.database.InMemoryExampleDatabase(),
        max_examples=15,
    )
    @hypothesis.seed(0)
    @given(inputs)
    def search(x):
        tried.append(x)
        check_gradient(whole_batch, x)

    assert isinstance(raised(search), AssertionError)
    with contrast("the first failing input, which is larger"):
        first = next(x for x in tried if raised(check_gradient, whole_batch, x))
        assert first.size > 2
    assert tried[-1].shape == (2, 1)
    tried.clear()
    assert isinstance(raised(search), AssertionError)
    assert tried[0].shape == (2, 1)


MODULI = {
    "abs": tf.abs,
    "norm": lambda x: tf.norm(x, axis=-1, keepdims=True),
    "norm, ord=1": lambda x: tf.norm(x, ord=1, axis=-1, keepdims=True),
}


@WRAP
@pytest.mark.parametrize("modulus", MODULI.values(), ids=MODULI)
def test_norm_is_constant(wrap, modulus):
    x, v = np.array([[3.0, -4.0], [0.5, 1e-3]]), np.array([[1.0, 2.0], [-1.0, 0.5]])

    def product(x):
        return x * tf.cast(modulus(x), x.dtype)

    assert not np.any(complex_step(wrap(modulus), x, v))
    right = x * v  # of x * x / 2
    with contrast("the whole derivative: of the product, a part remains"):
        part = complex_step(wrap(product), x, v)
        assert same(part, v * np.asarray(modulus(tf.constant(x))), 1e-12)
    with contrast("through tf.square as well"):
        half = complex_step(wrap(lambda x: tf.square(x) / 2), x, v)
        assert same(half, right, 1e-12)


@WRAP
@pytest.mark.parametrize("dtype", [tf.complex64, tf.complex128], ids=lambda d: d.name)
def test_refuse_complex(wrap, dtype):
    z = tf.constant([[1 + 2j, 3j]], dtype)
    larger = lambda z: tf.maximum(z, z)
    for function in (tf.nn.relu, tf.nn.softplus, tf.nn.softmax, larger):
        error = message(wrap(function), z)
        assert dtype.name in error and "list of allowed values" in error
    with contrast("every activation: tf.sigmoid and tf.tanh don't"):
        assert raised(wrap(tf.sigmoid), z) is None is raised(wrap(tf.tanh), z)


@pytest.mark.parametrize("size", [1, 2, 7])
def test_power(size):
    x = [-0.4] * size
    assert np.all(complex_step(lambda x: x**2, x).round() == -3919)
    assert same(complex_step(lambda x: x * x, x), [-0.8] * size, 1e-14)
    with contrast("also in a tf.function, which computes a product"):
        in_graph = complex_step(tf.function(lambda x: x**2), x)
        assert same(in_graph, [-0.8] * size, 1e-14)
    with contrast("for x**2 at any x"):
        assert same(complex_step(lambda x: x**2, [0.4] * size), [0.8] * size, 1e-14)
