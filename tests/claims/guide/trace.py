"""The claims of docs/guide/trace.md."""

import contextlib
import re
import tempfile
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import (
    BLOCKS,
    COMMON,
    EAGER,
    EVERYWHERE,
    FLOATS,
    INSIDE,
    NESTED,
    OUTSIDE,
    PERSISTENT,
    SYMBOLIC,
    UNKNOWN,
    XLA,
    XLA_OUTSIDE,
    contrast,
    message,
    same,
)

COMPILED = [XLA, XLA_OUTSIDE]
DIRECT = [OUTSIDE, *(place for place in UNKNOWN if "outside" in place.name)]
"""The tape is outside a tf.function that calls the function directly."""
INNER = [
    place
    for place in BLOCKS
    if "outside" in place.name and "strategy" not in place.name
]
"""The tape is outside, and a block in the tf.function calls the function."""
WRAPS = {"eager": lambda function: function, "tf.function": tf.function}
WRAP = pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)


@contextlib.contextmanager
def checked_numerics():
    """Turn enable_check_numerics on."""
    tf.debugging.enable_check_numerics()
    try:
        yield
    finally:
        tf.debugging.disable_check_numerics()


def operation(text):
    """The operation that a message of enable_check_numerics names."""
    match = re.search(r'op "([^"]+)"', text)
    return match and match[1]


@WRAP
@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.name)
def test_intermediate_sources(wrap, dtype):
    received = []

    @tf.custom_gradient
    def probe(x):
        def grad(upstream):
            received.append(upstream)
            return upstream

        return tf.identity(x), grad

    @wrap
    def gradients(x):
        received.clear()
        with tf.GradientTape() as tape:
            tape.watch(x)
            h = probe(x * 3)
            u = probe(tf.sin(h) + h)
            y = probe(h * u)
            loss = tf.reduce_sum(y * y)
            copy = tf.identity(h)
        *sources, of_copy = tape.gradient(loss, [y, u, h, copy])
        assert of_copy is None
        return sources, [*received]

    sources, upstream = gradients(tf.constant([0.5, -2.0, 0.0], dtype))
    assert len(upstream) == 3 and same(sources, upstream)
    with contrast("the gradient of each tensor's direct use alone"):
        x = tf.constant([0.5, -2.0, 0.0], dtype)
        h, u = 3 * x, tf.sin(3 * x) + 3 * x
        assert not same(sources[2], 2 * h * u * u, 0.01)


SELECT = {
    "2.0 * x": lambda x: 2.0 * x,
    "tf.where": lambda x: tf.where(x > 2.0, x, 0.0),
    "tf.maximum": lambda x: tf.maximum(x, 2.0),
    "tf.clip_by_value": lambda x: tf.clip_by_value(x, 2.0, 9.0),
    "tf.nn.relu": lambda x: tf.nn.relu(x - 2.0),
}


@pytest.mark.parametrize("place", EVERYWHERE, ids=str)
def test_nan_removed(place):
    names = ["tf.where", "tf.maximum", "tf.clip_by_value", "tf.nn.relu", "2.0 * x"]
    x = tf.constant([1.0, 4.0])

    def all_steps(x):
        upstream = tf.constant([np.nan, 1.0])
        return tf.stack([SELECT[name](x[i]) * upstream for i, name in enumerate(names)])

    rows = tf.tile(x[None], [len(names), 1])
    gradients = np.asarray(place.gradient(all_steps, rows))
    assert not gradients[:3, 0].any() and same(gradients[:3, 1], [1.0] * 3)
    assert gradients[3, 0] == 0 if place in COMPILED else np.isnan(gradients[3, 0])
    with contrast("every gradient function that multiplies removes a NaN"):
        assert np.isnan(gradients[4, 0])
    with contrast("also where they select the element"):
        selected = EAGER.gradient(SELECT["tf.where"], [3.0], lambda y: y * np.nan)
        assert np.isnan(selected)


@tf.custom_gradient
def hides_log(x):
    """Infinite inside its gradient function, and finite in its result."""
    x = tf.identity(x)  # else, a branch raises

    def grad(upstream):
        return tf.where(tf.math.log(x - x) < 0, upstream, upstream)

    return 2 * x, grad


@tf.custom_gradient
def takes_log(x):
    """With an infinite gradient."""
    x = tf.identity(x)
    return 2 * x, lambda upstream: upstream * tf.math.log(x - x)


@tf.custom_gradient
def hides_square_root(x):
    """Not a number inside its forward pass, and with an infinite gradient."""
    x = tf.identity(x)
    y = 2 * tf.where(tf.sqrt(-1 - x * x) > 0, x, x)
    return y, lambda upstream: upstream * tf.math.log(x - x)


@tf.custom_gradient
def leaves_tensorflow(x):
    """With a gradient of NaN from NumPy, which becomes the input of a product."""
    x = tf.identity(x)

    def grad(upstream):
        nan = tf.numpy_function(lambda a: np.full_like(a, np.nan), [x], x.dtype)
        return upstream * tf.reshape(nan, tf.shape(x))

    return 2 * x, grad


def error_in(place, function, dtype=tf.float32):
    """The message of an error that enable_check_numerics raises, or ""."""
    with checked_numerics():
        return message(place.gradient, function, tf.constant([0, 4], dtype))


@pytest.mark.parametrize(
    "place", [EAGER, PERSISTENT, INSIDE, NESTED, SYMBOLIC], ids=str
)
def test_names_operation(place):
    for dtype in place.dtypes:
        assert operation(error_in(place, hides_log, dtype)) == "Log"
    assert operation(error_in(place, takes_log)) == "Log"
    assert error_in(place, takes_log).startswith("InvalidArgumentError")
    named = operation(error_in(place, leaves_tensorflow))
    if place in (EAGER, PERSISTENT):
        with contrast("the first such operation, checked or not"):
            assert named == "Mul"
    else:
        assert named == "PyFunc"
    with contrast("the operation that gets the infinity first, Mul or Less"):
        assert operation(error_in(place, lambda x: 3 * takes_log(x))) == "Log"
    with contrast("also if the forward pass isn't finite"):
        assert operation(error_in(place, hides_square_root)) == "Sqrt"
    with contrast("raised also for operations of the custom gradient that are finite"):
        assert not error_in(place, lambda x: x * x)


@pytest.mark.parametrize("place", DIRECT, ids=str)
def test_names_backward_function(place):
    assert "__backward_" in operation(error_in(place, takes_log))
    assert not error_in(place, hides_log)
    zeros = lambda x: takes_log(tf.where(x > 100, x, tf.zeros_like(x)))
    assert not error_in(place, zeros) and same(
        place.gradient(zeros, [0.0, 4.0]), [0, 0]
    )
    with contrast("also if the forward pass isn't finite"):
        assert operation(error_in(place, hides_square_root)) == "Sqrt"
    with contrast("in a loop of the tf.function as well"):
        [loop] = [place for place in BLOCKS if place.name == "loop, outside"]
        assert operation(error_in(loop, hides_log)) == "Log"


CHECKS = {
    "check_numerics": lambda x: tf.debugging.check_numerics(x, "h"),
    "assert_all_finite": lambda x: tf.debugging.assert_all_finite(x, "h"),
}


@pytest.mark.parametrize(
    "place", [place for place in COMMON if place not in COMPILED], ids=str
)
def test_forward_checks(place):
    texts = {
        name: message(place.gradient, lambda x, check=check: tf.sqrt(check(x)), [0.0])
        for name, check in CHECKS.items()
    }
    assert "Tensor had Inf values" in texts["check_numerics"]
    with contrast("assert_all_finite also checks the upstream gradient"):
        assert not texts["assert_all_finite"]
    with contrast("assert_all_finite doesn't even check the value"):
        for check in CHECKS.values():
            text = message(place.gradient, lambda x, check=check: check(x), [np.nan])
            assert "Tensor had NaN values" in text


def prints(place, is_tied):
    """Whether a tf.print in a gradient function runs."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "printed"

        @tf.custom_gradient
        def probe(x):
            def grad(upstream):
                line = tf.print(upstream, output_stream=f"file://{file}")
                with tf.control_dependencies([line] if is_tied else []):
                    return tf.identity(upstream) if is_tied else upstream

            return tf.identity(x), grad

        gradient = place.gradient(lambda x: tf.sqrt(probe(x)), [4.0])
        assert same(gradient, [0.25])
        return file.exists()


def stops(place, is_tied):
    """Whether a tf.debugging.check_numerics in a gradient function raises an error."""

    @tf.custom_gradient
    def guarded(x):
        def grad(upstream):
            checked = tf.debugging.check_numerics(upstream, "h")
            return checked if is_tied else upstream

        return tf.identity(x), grad

    return bool(message(place.gradient, lambda x: tf.sqrt(guarded(x)), [0.0]))


@pytest.mark.parametrize("place", DIRECT, ids=str)
def test_tied_print(place):
    for runs in (prints, stops):
        assert runs(place, is_tied=True) and not runs(place, is_tied=False)
        with contrast("with the tape inside, too"):
            assert runs(INSIDE, is_tied=False)
        with contrast("also if a branch or another tf.function calls it"):
            assert all(runs(block, is_tied=False) for block in INNER[:2])


@pytest.mark.parametrize("place", INNER, ids=str)
def test_print_in_a_block(place):
    assert prints(place, is_tied=False) and prints(place, is_tied=True)
    with contrast("also without the block"):
        assert not prints(OUTSIDE, is_tied=False)


@pytest.mark.parametrize("place", COMPILED, ids=str)
def test_xla_raises(place):
    @tf.custom_gradient
    def probe(x):
        def grad(upstream):
            with tf.control_dependencies([tf.print(upstream)]):
                return tf.identity(upstream)

        return tf.identity(x), grad

    functions = [tf.sqrt, lambda x: tf.matmul([x], [x], transpose_b=True)]
    assert "Detected unsupported" in message(place.gradient, probe, [1.0, 4.0])
    for function in functions:
        with checked_numerics():
            text = message(place.gradient, function, [1.0, 4.0])
        assert "Detected unsupported" in text
        with contrast("enable_check_numerics only if a result isn't finite"):
            again = lambda x, function=function: function(x)
            assert np.isfinite(place.gradient(again, [1.0, 4.0])).all()
    with contrast("outside of XLA as well"):
        assert not message(OUTSIDE.gradient, tf.sqrt, [1.0, 4.0])
