"""The claims of docs/systems/quantization.md."""

import functools

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import (
    BLOCKS,
    EAGER,
    FORWARDS,
    INSIDE,
    MODES,
    NESTED,
    OUTSIDE,
    XLA,
    contrast,
    message,
    program,
    same,
)


def built_in(x, low, high, **options):
    """Call TensorFlow's function, by default with 4 bits."""
    options = {"num_bits": 4, **options}
    return tf.quantization.fake_quant_with_min_max_vars(x, low, high, **options)


RANGES = [
    (-1.0, 1.5, {}),
    (-1.0, 1.4, {}),
    (-1.0, 1.0, {"num_bits": 2}),
    (-1.3, 2.0, {"num_bits": 3}),
    (0.5, 2.0, {}),
    (-2.0, -0.5, {}),
    (-1.0, 1.4, {"num_bits": 8, "narrow_range": True}),
]


@pytest.mark.parametrize("low, high, options", RANGES, ids=str)
@pytest.mark.parametrize("place", [EAGER, OUTSIDE, XLA], ids=str)
def test_shifted_range(place, low, high, options):
    function = functools.partial(built_in, **options)
    xs = tf.linspace(-4.0, 4.0, 8001)
    levels = np.unique(function(xs, low, high))
    distance = (high - low) / (len(levels) - 1)
    is_level = np.isclose(low / distance, round(low / distance), 0, 1e-5) and low <= 0
    is_level &= high >= 0
    assert np.abs(levels).min() < 1e-6
    assert np.isclose(levels[-1] - levels[0], high - low, 1e-5)
    by_x, by_low, by_high = place.gradients(function, xs, low, high)
    x, ends = xs.numpy(), (levels[0], levels[-1])
    away = np.min(np.abs(np.subtract.outer(x, ends)), 1) > 1e-5  # from both ends
    inside = (ends[0] < x) & (x < ends[1])
    assert same(by_x.numpy()[away], inside[away])
    assert np.isclose(by_low, np.sum(x < ends[0]), 0, 1.5)
    assert np.isclose(by_high, np.sum(x > ends[1]), 0, 1.5)
    assert np.isclose(levels[0], low, 1e-5) == is_level
    with contrast("clips at the ends that you pass"):
        at_ends = (low < x) & (x < high)
        assert is_level or not same(by_x.numpy()[away], at_ends[away])


@pytest.mark.parametrize("place", [EAGER, INSIDE, OUTSIDE, NESTED, XLA], ids=str)
def test_only_float32(place):
    def quantize(x):
        return built_in(x, -1.0, 1.5)

    for dtype in (tf.float16, tf.bfloat16, tf.float64):
        x = tf.constant([0.5, 2.0], dtype)
        assert "FakeQuantWithMinMaxVars" in message(place.value, quantize, x)
        assert "FakeQuantWithMinMaxVars" in message(place.gradient, quantize, x)
    with contrast("raises an error for float32"):
        assert same(place.gradient(quantize, [0.5, 2.0]), [1.0, 0.0])
    with contrast("the custom gradient raises an error for float64, too"):
        custom = program("systems/quantization/fake_quant.py").fake_quantize
        x = tf.constant([0.5, 2.0], tf.float64)
        ends = tf.constant([-1.0, 1.5], tf.float64)
        assert same(EAGER.gradient(lambda x: custom(x, *ends), x), [1.0, 0.0])


@pytest.mark.parametrize("place", [*MODES, *BLOCKS[1:5]], ids=str)
def test_first_order_only(place):
    custom = program("systems/quantization/fake_quant.py").fake_quantize
    x = tf.constant([-2.0, 0.3, 9.0])

    def squared(function):
        return lambda x: function(x, tf.constant(-1.0), tf.constant(1.5)) ** 2

    second = place.derivative(squared(built_in), x)
    assert second is None or same(second, [0.0] * 3)
    if place in (EAGER, INSIDE):
        with contrast("no first derivative, either"):
            assert same(place.gradient(squared(built_in), x)[::2], [0.0, 0.0])
            assert place.gradient(squared(built_in), x)[1] > 0.5
        with contrast("a custom gradient has no second derivative, either"):
            assert same(place.derivative(squared(custom), x), [0.0, 2.0, 0.0])
    if place is EAGER:
        for forward in FORWARDS:
            assert forward.jvp(squared(built_in), x) is None
        with contrast("a custom gradient has none in forward mode, either"):
            assert same(FORWARDS[2].jvp(squared(custom), 9.0), 0.0)
            assert FORWARDS[2].jvp(squared(custom), 0.3) > 0.5
