"""The claims of docs/recipes/large_jacobians.md."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.harness import contrast, message, same

layers = keras.layers
DOUBLE = {"dtype": "float64"}
X = tf.random.stateless_normal([5, 4], [1, 2], dtype=tf.float64)
WRAPS = {"eager": lambda function: function, "graph": tf.function}
in_modes = pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)

WRONG = {
    "LayerNormalization": lambda: layers.LayerNormalization(**DOUBLE),
    "GroupNormalization": lambda: layers.GroupNormalization(2, **DOUBLE),
    "BatchNormalization": lambda: layers.BatchNormalization(**DOUBLE),
}


def loss_of(layer, x, training=True):
    """Return a loss whose Hessian depends on the second derivative of the layer."""
    return tf.reduce_sum(tf.exp(layer(x, training=training)))


def gradient(layer, x, **options):
    """Return the gradient of the loss."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = loss_of(layer, x, **options)
    return tape.gradient(loss, x)


def has_right_hessian(wrap, layer, **options):
    """Compare a Hessian-vector product with finite differences of the gradient."""
    v = tf.random.stateless_normal(X.shape, [3, 4], dtype=tf.float64)

    def product(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            g = gradient(layer, x, **options)
        return tape.gradient(g, x, v)

    h = 1e-5
    change = gradient(layer, X + h * v, **options) - gradient(
        layer, X - h * v, **options
    )
    return np.allclose(wrap(product)(X), change / (2 * h), rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("name", WRONG)
@in_modes
def test_wrong_hessian(wrap, name):
    layer = WRONG[name]()
    assert not has_right_hessian(wrap, layer)
    first = gradient(layer, X)
    v = tf.random.stateless_normal(X.shape, [5, 6], dtype=tf.float64)
    sides = [loss_of(layer, X + h * v) for h in (1e-6, -1e-6)]
    with contrast("the first derivative, too"):
        assert np.allclose(np.sum(first * v), (sides[0] - sides[1]) / 2e-6, rtol=1e-4)
    with contrast("also through `RMSNormalization`"):
        assert has_right_hessian(wrap, layers.RMSNormalization(**DOUBLE))
    with contrast("also through `BatchNormalization` with `training=False`"):
        frozen = layers.BatchNormalization(**DOUBLE)
        assert has_right_hessian(wrap, frozen, training=False)


@pytest.mark.parametrize("name", WRONG)
@in_modes
def test_gauss_newton_right(wrap, name):
    layer = WRONG[name]()
    v = tf.random.stateless_normal(X.shape, [3, 4], dtype=tf.float64)

    def product(x):
        with tf.GradientTape() as second:
            with tf.GradientTape(persistent=True) as first:
                first.watch(x)
                y = layer(x, training=True)
            u = tf.zeros_like(y)
            second.watch(u)
            JTu = first.gradient(y, x, u)
        Jv = second.gradient(JTu, u, v)
        return first.gradient(y, x, tf.exp(y) * Jv)

    with tf.GradientTape() as tape:
        tape.watch(X)
        y = layer(X, training=True)
    J = tf.reshape(tape.jacobian(y, X), [20, 20])
    right = tf.transpose(J) @ (
        tf.reshape(tf.exp(y), [20, 1]) * J @ tf.reshape(v, [20, 1])
    )
    assert np.allclose(tf.reshape(wrap(product)(X), [20, 1]), right, rtol=1e-6)
    with contrast("the product with the Hessian is right, too"):
        assert not has_right_hessian(wrap, layer)


@in_modes
def test_none_is_ones(wrap):
    x = tf.constant([1.0, 2.0, 3.0])

    def products(is_linear):
        with tf.GradientTape(persistent=True) as first:
            first.watch(x)
            y = x**2
        with tf.GradientTape() as outer:
            outer.watch(y)
            with tf.GradientTape() as inner:
                inner.watch(y)
                loss = tf.reduce_sum(3.0 * y if is_linear else y**2)
            slope = inner.gradient(loss, y)
        second = outer.gradient(slope, y)
        zero = tf.zeros_like(y) if second is None else second
        assert (second is None) == is_linear
        return first.gradient(y, x, second), first.gradient(y, x, zero)

    by_none, by_zero = wrap(lambda: products(True))()
    assert same(by_none, 2.0 * x)
    with contrast("zeros"):
        assert same(by_zero, 0.0 * x)
    with contrast("also for a loss that isn't linear"):
        by_second, _ = wrap(lambda: products(False))()
        assert same(by_second, 2.0 * 2.0 * x)


@in_modes
def test_zero_needs_values(wrap):
    w, unused = keras.Variable([1.0, 2.0]), keras.Variable([3.0])

    def gradients(sources, **options):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.convert_to_tensor(w) ** 2)
        return tape.gradient(y, sources, **options)

    zero = {"unconnected_gradients": "zero"}
    assert "_type_enum" in message(wrap(lambda: gradients([w, unused], **zero)))
    with contrast("also the `value` of each variable"):
        values = [w.value, unused.value]
        assert same(wrap(lambda: gradients(values, **zero))(), [[2.0, 4.0], [0.0]])
    with contrast("also without `unconnected_gradients`"):
        assert same(wrap(lambda: gradients([w, unused]))(), [[2.0, 4.0], None])


def test_blocks_only():
    a = tf.constant([1.0, 2.0], tf.float64)
    b = tf.constant([[3.0, 1.0, -1.0]], tf.float64)

    @tf.function
    def hessians(a, b):
        loss = tf.reduce_sum(tf.sin(a[:, None] * b))
        return tf.hessians(loss, [a, b])

    @tf.function
    def whole(a, b):
        with tf.GradientTape(persistent=True) as outer:
            outer.watch([a, b])
            with tf.GradientTape() as inner:
                inner.watch([a, b])
                loss = tf.reduce_sum(tf.sin(a[:, None] * b))
            parts = inner.gradient(loss, [a, b])
            flat = tf.concat([tf.reshape(part, [-1]) for part in parts], 0)
        rows = outer.jacobian(flat, [a, b])
        return tf.concat([tf.reshape(row, [5, -1]) for row in rows], 1)

    H = whole(a, b).numpy()
    blocks = hessians(a, b)
    assert len(blocks) == 2 and blocks[1].shape == [1, 3, 1, 3]
    of_a, of_b = (tf.reshape(block, [n, n]) for block, n in zip(blocks, (2, 3)))
    assert np.allclose(of_a, H[:2, :2]) and np.allclose(of_b, H[2:, 2:])
    with contrast("the other blocks of the Hessian are 0"):
        assert np.all(abs(H[:2, 2:]) > 0.1)
