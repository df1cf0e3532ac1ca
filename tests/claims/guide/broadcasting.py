"""The claims of docs/guide/broadcasting.md."""

import re
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.harness import (
    EAGER,
    OUTSIDE,
    PERSISTENT,
    contrast,
    message,
    program,
    raised,
    same,
    source,
)

PAGE = Path(__file__).parents[3] / "docs/guide/broadcasting.md"
CHECK = "guide/broadcasting/check.py"


@st.composite
def shapes(draw):
    """Draw the shape of an output, and one that broadcasts to it."""
    output = draw(st.lists(st.sampled_from([0, 1, 2, 3, 5]), max_size=5))
    kept = output[draw(st.integers(0, len(output))) :]
    return output, [draw(st.sampled_from([1, size])) for size in kept]


def integers(shape, seed=0):
    """Draw an array of integers, so that sums are exact in every order."""
    random = np.random.default_rng(seed)
    return tf.constant(random.integers(-9, 10, shape), tf.float32)


def sums_over_copies(gradient, shape):
    """Add each number to the element whose copy is at its position."""
    elements = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    copy_of = np.broadcast_to(elements, gradient.shape)
    sums = np.zeros(elements.size, np.float32)
    np.add.at(sums, copy_of.ravel(), np.ravel(gradient))
    return sums.reshape(shape)


@settings(max_examples=30)
@given(pair=shapes())
@pytest.mark.parametrize("mode", ["eager", "unknown rank", "unknown sizes", "XLA"])
def test_any_shapes(mode, pair):
    unbroadcast = program(CHECK).unbroadcast
    shown = re.search(r"```{.python notest}\n(.*?)```", PAGE.read_text("utf-8"), re.S)
    assert shown[1] in source(CHECK)
    output, shape = pair
    gradient, like = integers(output), tf.zeros(shape)
    specs = {
        "unknown rank": [tf.TensorSpec(None)] * 2,
        "unknown sizes": [tf.TensorSpec([None] * len(each)) for each in pair],
    }
    is_compiled = True if mode == "XLA" else None
    if mode != "eager":
        unbroadcast = tf.function(
            unbroadcast, input_signature=specs.get(mode), jit_compile=is_compiled
        )
    sums = unbroadcast(gradient, like)
    assert same(sums, sums_over_copies(gradient, shape)) and sums.shape == shape
    of_copies = EAGER.gradient(lambda b: gradient * tf.broadcast_to(b, output), like)
    assert same(sums, of_copies)
    if 0 not in output:
        copies = np.prod(output) / np.prod(shape)
        with contrast("the mean over the copies"):
            ones = unbroadcast(tf.ones(output), like)
            assert same(ones, tf.fill(shape, float(copies)))


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 3), (5, 7), (0,)], ids=str)
@pytest.mark.parametrize("place", [EAGER, PERSISTENT], ids=str)
def test_count_not_shapes(place, shape, count):
    wrong = tf.fill(shape, 7.0)

    @tf.custom_gradient
    def shift(x, b):
        return x + b, lambda upstream: [tf.fill(shape, 7.0)] * count

    x, b = tf.zeros([3]), tf.ones([3])
    if count == 2:
        assert same(place.gradients(shift, x, b), [wrong, wrong])
        with contrast("but it changes a gradient to the shape of its input"):
            assert place.gradients(shift, x, b)[1].shape == shape
    else:
        assert "expected to return 2" in message(place.gradients, shift, x, b)
    with contrast("in eager mode and outside a tf.function"):
        is_right = count == 2 and shape == (3,)
        assert (raised(OUTSIDE.gradients, shift, x, b) is None) == is_right
