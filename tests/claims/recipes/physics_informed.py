"""The claims of docs/recipes/physics_informed.md."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.harness import FLOATS, contrast, program, same

layers = keras.layers
WRAPS = {
    "eager": lambda function: function,
    "graph": tf.function,
    "XLA": lambda function: tf.function(function, jit_compile=True),
}
in_modes = pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)


@in_modes
def test_sum_of_columns(wrap):
    def second(point):
        with tf.GradientTape(persistent=True) as outer:
            outer.watch(point)
            with tf.GradientTape() as inner:
                inner.watch(point)
                x, t = tf.split(point, 2, axis=1)
                u = x**3 * tf.sin(t)
            first = inner.gradient(u, point)
            of_x = first[:, :1]
        return outer.gradient(first, point), outer.gradient(of_x, point)

    points = tf.random.stateless_normal([5, 2], [1, 2])
    x, t = tf.split(points, 2, axis=1)
    xx, xt, tt = 6 * x * tf.sin(t), 3 * x**2 * tf.cos(t), -(x**3) * tf.sin(t)
    both, of_x = wrap(second)(points)
    assert np.allclose(both, tf.concat([xx + xt, xt + tt], 1), atol=1e-4)
    with contrast("the second derivatives of each coordinate"):
        assert not np.allclose(both, tf.concat([xx, tt], 1), atol=0.01)
    with contrast("also for the first column of the first gradient"):
        assert np.allclose(of_x, tf.concat([xx, xt], 1), atol=1e-4)


@pytest.mark.parametrize("number", [1, 2])
@in_modes
def test_relu_network(wrap, number):
    page = program("recipes/physics_informed/network.py")

    def gradients(activation):
        keras.utils.set_random_seed(0)
        hidden = [layers.Dense(5, activation) for _ in range(number)]
        network = keras.Sequential([keras.Input([1]), *hidden, layers.Dense(1)])
        x = tf.reshape(tf.linspace(-1.1, 1.0, 7), [7, 1])
        weights = [w.value for w in network.weights]

        def run():
            with tf.GradientTape() as tape:
                _, _, second = page.value_and_derivatives(network, x)
                second = tf.zeros_like(x) if second is None else second
                loss = tf.reduce_mean(tf.square(second + 1.0))
            zero = tf.UnconnectedGradients.ZERO
            return second, tape.gradient(loss, weights, unconnected_gradients=zero)

        return wrap(run)()

    second, of_weights = gradients("relu")
    assert same(second, tf.zeros([7, 1]))
    assert all(same(g, tf.zeros_like(g)) for g in of_weights)
    with contrast("so does a network of tanh"):
        second, of_weights = gradients("tanh")
        assert np.all(second) and np.any(of_weights[0])


@pytest.mark.parametrize("exponent", [2, 3])
@in_modes
def test_power_at_zero(wrap, exponent):
    page = program("recipes/physics_informed/wrong/power.py")
    forms = {2: (tf.square, lambda x: x * x), 3: (lambda x: x * x * x,) * 2}[exponent]

    def highest(f, x, count):
        return wrap(lambda x: page.derivatives(f, x, count)[count])(x)

    for dtype in FLOATS if wrap is WRAPS["eager"] else [tf.float32]:
        x = tf.constant([0.0, 2.0], dtype)

        def power(x):
            return x**exponent

        assert same(highest(power, x, exponent + 1), [np.nan, 0.0])
        with contrast("one derivative earlier, too"):
            earlier = highest(power, x, exponent)
            assert np.isfinite(tf.cast(earlier, tf.float32)).all()
        with contrast("written as a product, too"):
            for form in forms:
                assert same(highest(form, x, exponent + 1), [0.0, 0.0])
