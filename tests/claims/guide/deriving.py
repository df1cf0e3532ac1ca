"""The claims of docs/guide/deriving.md."""

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

from tests.harness import EAGER, INSIDE, OUTSIDE, contrast, message, program, same

SIZES = {"b": 2, "i": 3, "j": 4, "k": 5}


@st.composite
def equations(draw):
    """Two inputs and an output, in which no letter stands twice."""
    words = st.lists(st.sampled_from("bijk"), unique=True, max_size=3)
    first, second = draw(words), draw(words)
    both = sorted({*first, *second})
    out = draw(st.lists(st.sampled_from(both), unique=True)) if both else []
    return "{},{}->{}".format(*map("".join, (first, second, out)))


def inputs_of(equation):
    """Draw the two inputs of an equation."""
    return [
        tf.random.stateless_normal([SIZES[x] for x in word], [n, 1], dtype=tf.float64)
        for n, word in enumerate(equation.split("->")[0].split(","))
    ]


@pytest.mark.parametrize("place", [EAGER, INSIDE, OUTSIDE], ids=str)
@given(equation=equations())
def test_exchanged_letters(place, equation):
    page = program("guide/deriving/einsum.py")
    inputs = inputs_of(equation)

    loss = lambda f: lambda a, b: tf.reduce_sum(tf.sin(f(equation, a, b)))
    right = EAGER.gradients(loss(tf.einsum), *inputs)
    gradients = place.gradients(loss(page.einsum), *inputs)
    assert all(np.allclose(a, b) for a, b in zip(gradients, right))
    with contrast("also if a letter stands twice in one input"):
        diagonal = [tf.ones([3, 3], tf.float64), tf.ones([3], tf.float64)]
        twice = "ii,i->i"
        assert same(page.einsum(twice, *diagonal), tf.ones([3]))
        einsum = lambda a, b: page.einsum(twice, a, b)
        assert "more than once: i,i->ii" in message(EAGER.gradients, einsum, *diagonal)
    with contrast("also for complex inputs"):
        numbers = [tf.complex(x, x) for x in (tf.ones([2, 3]), tf.ones([3, 4]))]
        real = lambda f: lambda a, b: tf.math.real(tf.reduce_sum(f("ij,jk->ik", a, b)))
        right = EAGER.gradients(real(tf.einsum), *numbers)[0]
        assert not same(EAGER.gradients(real(page.einsum), *numbers)[0], right)


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "graph"])
def test_half_rows(wrap):
    def sums(x, axis):
        return tf.reduce_sum(x, axis), tf.reduce_mean(x, axis)

    def of_ones(dtype, shape, axis, wrap=wrap):
        total, mean = wrap(lambda x: sums(x, axis))(tf.ones(shape, dtype))
        return [float(tf.reshape(part, [-1])[0]) for part in (total, mean)]

    for shape, axis in ([10_000, 4], 0), ([100, 100, 4], [0, 1]):
        total, mean = of_ones(tf.float16, shape, axis)
        assert total == 2048.0 and abs(mean - 0.2048) < 1e-3
    for columns in 2, 64, 1024:  # the sums of several parts of the rows are added
        total, mean = of_ones(tf.float16, [10_000, columns], 0)
        assert total < 9000.0 and mean < 0.9
    with contrast("also with one column"):
        assert of_ones(tf.float16, [10_000, 1], 0) == [10_000.0, 1.0]
    with contrast("along the last axis, too"):
        assert of_ones(tf.float16, [4, 10_000], 1) == [10_000.0, 1.0]
    with contrast("in bfloat16, too"):
        assert of_ones(tf.bfloat16, [10_000, 4], 0) == [9984.0, 1.0]
    with contrast("under XLA, too"):

        def xla(function):
            return tf.function(function, jit_compile=True)

        assert of_ones(tf.float16, [10_000, 4], 0, xla) == [10_000.0, 1.0]
