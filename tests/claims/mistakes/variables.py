"""The claims of docs/mistakes/variables.md."""

import functools

import pytest
import tensorflow as tf

from tests.harness import BLOCKS, EAGER, FLOATS, MODES, contrast, message, same

IN_A_BLOCK = [place for place in BLOCKS if "branch" in place.name]
IN_A_BLOCK += [p for p in BLOCKS if p.name.startswith(("loop,", "map_fn"))]


def product(w, reads):
    """Multiply by a captured variable, which ``grad`` reads anew or not."""

    @tf.custom_gradient
    def multiplied(x):
        x, value = tf.identity(x), w.read_value()

        def grad(upstream, variables=None):
            factor = w if reads else value
            if variables:
                return upstream * factor, [tf.reduce_sum(upstream * x)]
            return upstream * factor

        return x * value, grad

    return multiplied


def loop(function):
    """Run a function once, in a loop."""
    return lambda x: tf.while_loop(
        lambda n, _: n < 1, lambda n, _: (n + 1, function(x)), (0, x)
    )[1]


def branch(function):
    """Run a function in a branch."""
    return lambda x: tf.cond(x > 0, lambda: function(x), lambda: x)


def plain(function):
    """Return the function."""
    return function


@pytest.mark.parametrize("trainable", [True, False], ids=["trainable", "not trainable"])
@pytest.mark.parametrize("place", [*MODES, *IN_A_BLOCK], ids=str)
def test_read_in_a_block(place, trainable):
    w = tf.Variable(2.0, trainable=trainable)
    reads, uses_value = product(w, reads=True), product(w, reads=False)
    error = message(place.gradient, reads, 3.0)
    if place in MODES:
        with contrast("through a graph, also without a branch or a loop"):
            assert not error and same(place.gradient(reads, 3.0), 2.0)
    else:
        assert "Tensor.graph is undefined" in error or "internal_captures" in error
    assert same(place.gradient(uses_value, 3.0), 2.0)
    if place is EAGER:
        with contrast("through each branch, also eagerly"):
            assert same(place.gradient(branch(reads), 3.0), 2.0)


COMPILED = functools.partial(tf.function, jit_compile=True)
WRAPS = {
    "eager": (plain, plain),
    "inside": (plain, tf.function),
    "outside": (tf.function, plain),
    "nested": (tf.function, tf.function),
    "XLA": (plain, COMPILED),
    "loop": (loop, tf.function),
    "branch": (branch, tf.function),
}
"""Wraps of the function, and of the tape."""


@pytest.mark.parametrize("place", WRAPS)
@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.name)
def test_untrainable(place, dtype):
    inner, outer = WRAPS[place]
    w, trained = (tf.Variable(2, dtype=dtype, trainable=t) for t in (False, True))
    x = tf.constant(3, dtype)

    def gradients(function, *sources):
        def run(x):
            with tf.GradientTape() as tape:
                tape.watch([x, *sources])
                y = inner(function)(x)
            return tape.gradient(y, [x, *sources])

        return outer(run)(x)

    of_x, of_w = gradients(product(w, reads=False), w)
    assert of_x == 2 and (of_w is None or of_w == 0)
    with contrast("a variable that is trainable, too"):
        assert gradients(product(trained, reads=False), trained)[1] == 3
    with contrast("the gradient of the plain function, too"):
        assert gradients(lambda x: x * w, w)[1] == 3
    if place == "eager":
        with contrast("only the variable is watched"):
            with tf.GradientTape() as tape:
                tape.watch(w)
                y = product(w, reads=False)(x)
            assert tape.gradient(y, w) == 3
