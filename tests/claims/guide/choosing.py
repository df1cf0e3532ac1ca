"""The claims of docs/guide/choosing.md."""

import contextlib
import threading
import weakref

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.python.framework import ops  # no public name removes a registration

from tests.harness import (
    ALL_OUTSIDE,
    COMMON,
    EAGER,
    FLOATS,
    FORWARDS,
    INSIDE,
    MODES,
    NESTED,
    PERSISTENT,
    SYMBOLIC,
    contrast,
    derivative,
    raised,
    same,
)

STEPS = {"sin": tf.sin, "exp": tf.exp, "tanh": tf.tanh, "square": tf.square}
STEP = pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)


def with_custom(function):
    """Decorate a function with a gradient function that reads only the output."""

    @tf.custom_gradient
    def decorated(x):
        y = function(x)
        return y, lambda upstream: upstream * y

    return decorated


def chain(step, results):
    """Four steps, whose results are appended to a list as weak references."""

    def steps(x):
        for _ in range(4):
            x = step(x)
            results.append(weakref.ref(x))
        return x

    return steps


@contextlib.contextmanager
def registered(name, gradient):
    """Register a gradient function, and remove it at the end."""
    tf.RegisterGradient(name)(gradient)
    try:
        yield
    finally:
        ops.gradient_registry._registry.pop(name)


@STEP
@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("is_persistent", [False, True])
def test_no_memory_eagerly(step, dtype, is_persistent):
    def kept(decorate, stop=tf.identity):
        """Return which results are alive while the tape is."""
        results, x = [], tf.constant(0.5, dtype)
        with tf.GradientTape(persistent=is_persistent) as tape:
            tape.watch(x)
            y = decorate(lambda x: chain(step, results)(stop(x)))(x)
        del y
        return {n for n, r in enumerate(results) if tape and r() is not None}

    def reads_nothing(function):
        return tf.custom_gradient(lambda x: (function(x), lambda upstream: upstream))

    plain = kept(lambda function: function)
    assert plain >= {0, 1, 2}  # the last result isn't always needed
    assert kept(with_custom) >= plain and kept(reads_nothing) >= plain
    with contrast("also with a stopped input: the tape then keeps what grad reads"):
        assert kept(with_custom, tf.stop_gradient) == {3}


@STEP
@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.name)
def test_reads_only(step, dtype):
    def read(decorate, stop=tf.identity):
        """Count the results that the backward pass reads."""
        counts = []

        @tf.function
        def gradient(x):
            results = []
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = decorate(lambda x: chain(step, results)(stop(x)))(x)
            before = [len(result().consumers()) for result in results]
            tape.gradient(y, x)
            after = [len(result().consumers()) for result in results]
            counts.append(sum(a > b for a, b in zip(after, before)))

        gradient(tf.constant(0.5, dtype))
        return counts[0]

    assert read(with_custom) == 1
    with contrast("all that the operations of its function need"):
        assert read(lambda function: function) >= 3
    with contrast("only with a stopped input"):
        assert read(with_custom, tf.stop_gradient) == 1


CONTRAST = "AdjustContrastv2"
IMAGE = tf.reshape(tf.range(1.0, 5.0), (1, 2, 2, 1))


def adjusted(x):
    """An operation without a gradient."""
    return tf.raw_ops.AdjustContrastv2(images=x, contrast_factor=0.5)


def sevenfold(op, upstream):
    """A gradient function to register."""
    return 7.0 * upstream, None


@pytest.mark.parametrize("place", MODES, ids=str)
def test_whole_process(place):
    def gradient():
        return place.gradient(lambda x: adjusted(x), IMAGE)  # traces each time

    assert CONTRAST in str(raised(gradient))
    with registered(CONTRAST, sevenfold):
        sevens = tf.fill(IMAGE.shape, 7.0)
        assert same(gradient(), sevens)
        second = raised(tf.RegisterGradient(CONTRAST), tf.identity)
        assert isinstance(second, KeyError)
        with contrast("and a second one replaces the first"):
            assert same(gradient(), sevens)
        with contrast("for the thread that makes it"):
            results = []
            other = threading.Thread(target=lambda: results.append(gradient()))
            other.start()
            other.join()
            assert same(results[0], sevens)
        with contrast("also for operations of another type"):
            assert same(place.gradient(tf.sin, 0.0), 1.0)


def overridden(x):
    """The sign, to which gradient_override_map attaches the derivative of tanh."""
    graph = tf.compat.v1.get_default_graph()
    with graph.gradient_override_map({"Sign": "DerivativeOfTanh"}):
        return tf.sign(x)


def of_tanh(op, upstream):
    """A gradient function to register by its name."""
    return upstream * (1 - tf.tanh(op.inputs[0]) ** 2)


IGNORED = ["eager", "persistent tape", "inside", "inside, XLA"]
IGNORED += ["unknown batch, inside", "unknown rank, inside"]


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_override_ignored(place):
    uses_name = place in ALL_OUTSIDE or place in (NESTED, SYMBOLIC)
    uses_name |= any(word in place.name for word in ("branch", "loop"))
    assert uses_name == (place.name not in IGNORED)
    xs = [tf.constant(x, dtype) for x in (0.5, -2.0) for dtype in place.dtypes]
    with registered("DerivativeOfTanh", of_tanh):
        gradients = place.each(overridden, xs)
    by_name = [1 - np.tanh(float(x)) ** 2 for x in xs]
    assert same(gradients, by_name if uses_name else [0.0] * len(xs), 0.05)
    if not uses_name:
        with contrast("raises an error, for example if nothing has that name"):
            assert same(place.gradient(overridden, xs[0]), 0.0)
    else:
        with contrast("ignores it everywhere: its own gradient is 0"):
            assert gradients[0] > 0.7


FUNCTIONS = {"sin": tf.sin, "cube": lambda x: x * x * x, "exp": tf.exp}
FUNCTION = pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)


@pytest.mark.parametrize("place", FORWARDS, ids=str)
@FUNCTION
def test_recompute_forward(place, function):
    x = tf.constant([0.5, 2.0])
    error = raised(place.jvp, tf.recompute_grad(function), x)
    assert isinstance(error, NotImplementedError)
    linear = raised(place.jvp, tf.recompute_grad(lambda x: 2 * x), x)
    assert isinstance(linear, NotImplementedError)
    with contrast("reverse mode raises it"):
        gradient = EAGER.gradient(tf.recompute_grad(function), x)
        assert same(gradient, EAGER.gradient(function, x), 1e-6)
    with contrast("also through the function without tf.recompute_grad"):
        assert same(place.jvp(function, x), gradient, 1e-5)


@pytest.mark.parametrize("place", [EAGER, PERSISTENT], ids=str)
@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.name)
@FUNCTION
def test_recompute_second(function, dtype, place):
    again, x = tf.recompute_grad(function), tf.constant([0.5, 2.0], dtype)
    second = place.gradient(derivative(function), x)
    assert same(place.gradient(derivative(again), x), second)
    error = raised(place.gradient, derivative(again, tf.square), x)
    assert isinstance(error, NotImplementedError)
    with contrast("also the first derivative of y ** 2"):
        first = place.gradient(function, x, tf.square)
        assert same(place.gradient(again, x, tf.square), first)
    with contrast("also if it reads a trainable variable: then, both raise it"):
        w = tf.Variable(2.0, dtype=dtype)
        reads = tf.recompute_grad(lambda x: w * function(x))
        error = raised(place.gradient, derivative(reads), x)
        assert isinstance(error, NotImplementedError)
    with contrast("in a graph, too: there, both raise it"):
        assert isinstance(
            raised(INSIDE.gradient, derivative(again), x), NotImplementedError
        )


class Holder:
    """An object with a function as an attribute."""

    def __init__(self, function):
        self.function = function


WRAPS = {
    "grad_pass_through": (tf.grad_pass_through, lambda x: tf.round(x)),
    "recompute_grad": (tf.recompute_grad, lambda x: tf.sin(x)),
}
ARGUMENTS = {
    "alone": (lambda f: f, lambda argument: argument),
    "list": (lambda f: [f], lambda argument: argument[0]),
    "tuple": (lambda f: (1, f), lambda argument: argument[1]),
    "dictionary": (lambda f: {"f": f}, lambda argument: argument["f"]),
}


@pytest.mark.parametrize("is_compiled", [False, True], ids=["graph", "XLA"])
@pytest.mark.parametrize("put, take", ARGUMENTS.values(), ids=ARGUMENTS)
@pytest.mark.parametrize("decorate, function", WRAPS.values(), ids=WRAPS)
def test_unwrapped(decorate, function, put, take, is_compiled):
    received = []

    def note(argument):
        received.append(argument)
        return 0

    wrapped, graph = decorate(function), tf.function(note, jit_compile=is_compiled)
    graph(put(wrapped))
    graph(argument=put(wrapped))
    assert [take(argument) for argument in received] == [function] * len(received)
    assert received and take(received[0]) is not wrapped
    with contrast("also if a function that calls it is passed"):
        calls = lambda x: wrapped(x)
        graph(put(calls))
        gradient = derivative(take(received[-1]))(tf.constant(1.3))
        assert same(gradient, derivative(wrapped)(tf.constant(1.3)))
        assert gradient is not None
    with contrast("also if an object holds it as an attribute"):
        graph(Holder(wrapped))
        assert received[-1].function is wrapped
    with contrast("also if the function captures it"):
        tf.function(lambda: note(put(wrapped)))()
        assert take(received[-1]) is wrapped
