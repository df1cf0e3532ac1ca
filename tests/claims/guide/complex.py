"""The claims of docs/guide/complex.md."""

import functools
import logging

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import (
    COMMON,
    EAGER,
    FLOATS,
    INSIDE,
    OUTSIDE,
    SYMBOLIC,
    contrast,
    raised,
    same,
)

math, linalg = tf.math, tf.linalg
H = 1e-6
PLAIN = pytest.mark.parametrize("place", [EAGER, INSIDE, OUTSIDE], ids=str)


def drawn_complex(*shape, seed=0):
    """Random complex numbers."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)


def differences(loss, z):
    """Finite differences of a real loss: along 1, plus i times those along i."""
    z, gradient = np.asarray(z), np.zeros(np.shape(z), complex)
    for index in np.ndindex(z.shape):
        for unit in (1, 1j):
            step = np.zeros(z.shape, complex)
            step[index] = H * unit
            ahead, behind = loss(tf.constant(z + step)), loss(tf.constant(z - step))
            gradient[index] += unit * float(ahead - behind) / (2 * H)
    return gradient


def is_near(one, other, within=1e-5):
    """Whether two gradients agree up to the error of finite differences."""
    scale = max(1.0, np.abs(other).max())
    return np.abs(np.asarray(one) - other).max() <= within * scale


def with_upstream(function, upstream):
    """A real loss that sends this upstream gradient to the function's output."""
    return lambda z: math.real(tf.reduce_sum(np.conj(upstream) * function(z)))


def of_listed_operations(z):
    """A real loss in which each operation of the claim is used."""
    quotient = (z + 2) / (z * z - 3j) + tf.exp(z * (0.3 + 0.1j))
    real = tf.abs(z + 1) * math.angle(z) + math.real(quotient)
    return tf.reduce_sum(real + math.imag(quotient * math.conj(z) * (0.6 - 0.8j)))


POINTS = tf.constant([1 + 2j, -2 + 0.5j, 0.3j, -0.2 - 1j, 2 + 0j])


@functools.cache
def gradient_by_parts():
    """The derivatives by the real and the imaginary part, by finite differences."""
    right = differences(of_listed_operations, POINTS)
    of_a, of_b = EAGER.gradients(
        lambda a, b: of_listed_operations(tf.complex(a, b)),
        *(math.real(POINTS), math.imag(POINTS)),
    )
    assert is_near(np.asarray(of_a) + 1j * np.asarray(of_b), right)
    return right


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_convention(place):
    gradient, right = place.gradient(of_listed_operations, POINTS), gradient_by_parts()
    assert is_near(gradient, right)
    with contrast("minus i times the derivative with respect to b, the conjugate"):
        assert np.all(abs(gradient - right.conj()) > 0.05)


def matrix(z):
    """Four complex outputs, of a function that isn't holomorphic."""
    return tf.exp(z) * math.conj(z) + linalg.diag([z[0], 1j * z[1]])


@functools.cache
def gradient_of(part):
    """The gradient of the real parts, the imaginary parts or the moduli."""
    return EAGER.gradient(lambda z: part(matrix(z)), TARGET)


TARGET = tf.constant([1 + 2j, 3 - 1j])


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_real_part_of_target(place):
    if place is SYMBOLIC:
        assert isinstance(raised(place.gradient, matrix, TARGET), TypeError)
        with_ys = tf.function(
            lambda z: tf.gradients(matrix(z), z, grad_ys=tf.ones([2, 2], z.dtype))
        )
        [gradient] = with_ys(TARGET)
    else:
        gradient = place.gradient(matrix, TARGET)
    assert same(gradient, gradient_of(math.real), 1e-12)
    with contrast("of the imaginary parts"):
        assert not same(gradient, gradient_of(math.imag), 0.1)
    with contrast("of the moduli"):
        assert not same(gradient, gradient_of(tf.abs), 0.1)


@PLAIN
@pytest.mark.parametrize("batch", [(), (2,)], ids=str)
def test_tridiagonal_solve(place, batch):
    diagonals = tf.constant(drawn_complex(*batch, 3, 4) + np.array([[0], [4], [0]]))
    right_side = tf.constant(drawn_complex(*batch, 4, 1, seed=1))
    upstream = np.random.default_rng(2).normal(size=(*batch, 4, 1))

    def solved(diagonals, right_side):
        return linalg.tridiagonal_solve(diagonals, right_side)

    losses = {
        "diagonals": (lambda d: solved(d, right_side), diagonals),
        "right-hand side": (lambda b: solved(diagonals, b), right_side),
    }
    for function, z in losses.values():
        loss = with_upstream(function, upstream)
        right, gradient = differences(loss, z), place.gradient(loss, z)
        assert is_near(gradient, right.conj())
        with contrast("the right gradient itself"):
            assert not is_near(gradient, right, 0.05)
        with contrast("with any upstream gradient"):
            loss = with_upstream(function, upstream * (0.6 - 0.8j))
            right, gradient = differences(loss, z), place.gradient(loss, z)
            assert not is_near(gradient, right.conj(), 0.05)
            assert not is_near(gradient, right, 0.05)
    with contrast("also tf.linalg.solve, with the same matrix"):
        loss = with_upstream(
            lambda b: linalg.solve(linalg.diag(diagonals[..., 1, :]), b), upstream
        )
        right = differences(loss, right_side)
        assert is_near(place.gradient(loss, right_side), right)


class Warnings(logging.Handler):
    """The messages of TensorFlow's logger about casts."""

    def __init__(self):
        super().__init__()
        self.messages = []

    def emit(self, record):
        if "imaginary part" in record.getMessage():
            self.messages.append(record.getMessage())


@pytest.fixture
def warnings():
    """Collect the warnings about imaginary parts."""
    logger, handler = logging.getLogger("tensorflow"), Warnings()
    level, propagates, handlers = logger.level, logger.propagate, logger.handlers
    logger.handlers, logger.propagate = [handler], False
    logger.setLevel(logging.WARNING)
    yield handler.messages
    logger.handlers, logger.propagate = handlers, propagates
    logger.setLevel(level)


@pytest.mark.parametrize("wrap", [lambda function: function, tf.function])
@pytest.mark.parametrize("dtype", [tf.complex64, tf.complex128])
def test_cast_warns(warnings, wrap, dtype):
    z = tf.constant([1 + 2j], dtype)
    for real in FLOATS:
        wrap(lambda z, real=real: tf.cast(z, real))(z)
        assert len(warnings) == 1 and "discard the imaginary part" in warnings.pop()
    for whole in (tf.int32, tf.int64, tf.uint8):
        assert wrap(lambda z, whole=whole: tf.cast(z, whole))(z) == 1
    wrap(math.real)(z)
    with contrast("to any dtype that isn't complex, or tf.math.real as well"):
        assert not warnings
    with contrast("a cast of a real tensor, too"):
        wrap(lambda x: tf.cast(x, tf.float64))(tf.constant(1.0))
        assert not warnings


GRAPHS = {
    "eager": lambda function: function,
    "tf.function": tf.function,
    "XLA": tf.function(jit_compile=True),
}


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64], ids=lambda d: d.name)
@pytest.mark.parametrize("wrap", GRAPHS.values(), ids=GRAPHS)
def test_irfft_length(wrap, dtype):
    def back(x):
        return tf.signal.irfft(tf.signal.rfft(x))

    def back_with_length(x):
        return tf.signal.irfft(tf.signal.rfft(x), [x.shape[-1]])

    back, back_with_length = wrap(back), wrap(back_with_length)
    for values in (3, 5, 9):
        for batch in ((), (2,)):
            x = tf.constant(np.random.default_rng(0).normal(size=(*batch, values)))
            x = tf.cast(x, dtype)
            assert back(x).shape == (*batch, values - 1)
    with contrast("with a length, too"):
        assert same(back_with_length(x), x, 1e-4)
    with contrast("an even number of values: none is lost"):
        assert same(back(x[..., :8]), x[..., :8], 1e-4)
