"""The claims of docs/mistakes/silent_systems.md."""

import functools

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.harness import (
    EAGER,
    INSIDE,
    MODES,
    OUTSIDE,
    PERSISTENT,
    XLA,
    XLA_OUTSIDE,
    contrast,
    message,
    same,
)

COMPILED = functools.partial(tf.function, jit_compile=True)
AGAIN = pytest.mark.parametrize("again", [keras.remat, tf.recompute_grad])
X = np.float32([[1.0], [3.0], [8.0]])


class Normalization(keras.layers.BatchNormalization):
    """Batch normalization that records its training arguments."""

    def __init__(self):
        super().__init__(momentum=0.5)
        self.modes = []

    def call(self, x, training=None):
        self.modes.append(training)
        return super().call(x, training=training)


class Recomputed(keras.layers.Layer):
    """A layer that runs another one again, with or without its training argument."""

    def __init__(self, again, is_passed):
        super().__init__()
        self.inner, self.again, self.is_passed = Normalization(), again, is_passed

    def build(self, shape):
        self.inner.build(shape)

    def call(self, x, training=None):
        options = {"training": training} if self.is_passed else {}
        return self.again(lambda x: self.inner(x, **options))(x)


def built(again, is_passed):
    """A layer that has run once, and forgot the run."""
    layer = Recomputed(again, is_passed)
    layer(X)
    layer.inner.modes.clear()
    return layer


@AGAIN
@pytest.mark.parametrize("place", MODES, ids=str)
def test_training_is_lost(place, again):
    def run(is_passed, training):
        layer = built(again, is_passed)
        place.gradient(lambda x: layer(x, training=training), X)
        return layer.inner.modes

    assert run(False, True) == [True, None]
    with contrast("also with an explicit training argument"):
        assert run(True, True) == [True, True]
    if place is EAGER:
        with contrast("None in both runs: the first run gets what the model gets"):
            assert run(False, False) == [False, None]


@AGAIN
@pytest.mark.parametrize(
    "place", [EAGER, PERSISTENT, INSIDE, XLA, OUTSIDE, "fit", "fit, XLA"], ids=str
)
def test_updates_twice(place, again):
    layer = built(again, True)
    mean = X.mean()
    if isinstance(place, str):
        model = keras.Sequential([keras.Input([1]), layer])
        model.compile("sgd", "mse", jit_compile="XLA" in place)
        model.fit(X, X, batch_size=3, verbose=0)
    else:
        place.gradient(lambda x: layer(x, training=True), X)
    moving_mean = layer.inner.moving_mean.numpy()
    if place is OUTSIDE:
        with contrast("in all modes, also with the tape outside a tf.function"):
            assert same(moving_mean, [mean / 2], 1e-6)
    else:
        assert same(moving_mean, [mean * 3 / 4], 1e-6)
    if place is EAGER:
        with contrast(
            "only once, in the forward pass, like a layer that isn't recomputed"
        ):
            plain = built(lambda function: function, True)
            place.gradient(lambda x: plain(x, training=True), X)
            assert same(plain.inner.moving_mean.numpy(), [mean / 2], 1e-6)


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "inside"])
def test_jacobian_drops(wrap):
    @tf.custom_gradient
    def tenth(x):
        return tf.identity(x), lambda upstream: 0.1 * upstream

    def square(grad):
        return tf.custom_gradient(lambda x: (4 * x * x, functools.partial(grad, x)))

    of_upstream = square(lambda x, upstream: tenth(upstream * 8 * x))
    of_input = square(lambda x, upstream: upstream * tenth(8 * x))

    def second(function, method, x, **options):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape(persistent=True) as inner:
                inner.watch(x)
                y = function(x)
            first = getattr(inner, method)(y, x, **options)
        return outer.gradient(first, x)

    xs = tf.constant([1.0, 3.0]), tf.constant(3.0)
    for x in xs[:1] if wrap is tf.function else xs:
        run = wrap(functools.partial(second, of_upstream, "jacobian"))
        assert same(run(x), tf.fill(x.shape, 8.0), 1e-6)
        tenths = tf.fill(x.shape, 0.8)
        run = functools.partial(second, of_upstream, "jacobian")
        by_rows = wrap(lambda x, run=run: run(x, experimental_use_pfor=False))
        assert same(by_rows(x), tenths, 1e-6)
        with contrast("a custom gradient that grad applies to its input, too"):
            run = wrap(functools.partial(second, of_input, "jacobian"))
            assert same(run(x), tenths, 1e-6)
        with contrast("the result of tape.gradient, too"):
            run = wrap(functools.partial(second, of_upstream, "gradient"))
            assert same(run(x), tenths, 1e-6)


CHECKS = {
    "check_numerics": lambda x: tf.debugging.check_numerics(tf.math.log(x), ""),
    "assert_positive": lambda x: tf.debugging.assert_positive(x),
    "Assert": lambda x: tf.debugging.Assert(tf.reduce_all(x > 0), [x]),
}


@pytest.mark.parametrize("name", CHECKS)
def test_no_checks(name):
    check = CHECKS[name]

    def guarded(x):
        check(x + 1)
        return tf.math.log(x + 1) * 2

    x = tf.constant([-2.0, 0.0])
    assert same(COMPILED(guarded)(x), [np.nan, 0.0])
    for place in XLA, XLA_OUTSIDE:
        assert same(place.gradient(guarded, x), [-2.0, 2.0])
    with contrast("in each graph, also without XLA"):
        assert "InvalidArgumentError" in message(tf.function(guarded), x)
        assert "InvalidArgumentError" in message(guarded, x)
    with contrast("also if they check the shape, which is known while tracing"):
        ranked = COMPILED(lambda x: (tf.debugging.assert_rank(x, 2), x)[1])
        assert "must have rank 2" in message(ranked, x)
    with contrast("also if they check a constant"):
        constant = COMPILED(lambda x: (tf.debugging.assert_positive(-1.0), x)[1])
        assert "InvalidArgumentError" in message(constant, x)


@pytest.mark.parametrize(
    "dtype", [tf.float32, tf.float64], ids=lambda dtype: dtype.name
)
@pytest.mark.parametrize("place", [EAGER, INSIDE, OUTSIDE, XLA], ids=str)
def test_exact_pivot(place, dtype):
    tenths = np.float64([[1, 2, 3], [4, 5, 6], [7, 8, 9]]) / 10
    exact = [np.zeros([2, 2]), [[1, 2], [2, 4]], [np.eye(2), [[1, 1], [1, 1]]]]
    rounded = [tenths, tenths.T, [np.eye(3), tenths]]
    rounded = [tf.constant(matrix, dtype) for matrix in map(np.float64, rounded)]
    exact = [tf.constant(matrix, dtype) for matrix in map(np.float64, exact)]
    assert np.linalg.matrix_rank(tenths) == 2
    if place is XLA:  # compiling the inverse takes long, so few matrices do
        gradients = place.each(tf.linalg.inv, [rounded[0], exact[1]])
        assert np.isfinite(gradients[0]).all()
        with contrast("under XLA, too: there it returns numbers"):
            assert gradients[1].shape == [2, 2]
        return
    gradients = place.each(tf.linalg.inv, rounded)
    assert all(np.isfinite(gradient).all() for gradient in gradients)
    for matrix in exact:
        error = message(place.gradient, tf.linalg.inv, matrix)
        assert "InvalidArgumentError" in error and "not invertible" in error
    with contrast("if an element of the diagonal is exactly 0"):
        swap = tf.constant([[0, 1], [1, 0]], dtype)
        assert not message(place.gradient, tf.linalg.inv, swap)
