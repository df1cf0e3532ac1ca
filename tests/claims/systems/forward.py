"""The claims of docs/systems/forward.md."""

import functools

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import (
    EAGER,
    FLOATS,
    FORWARDS,
    INSIDE,
    NESTED,
    OUTSIDE,
    VECTORIZED,
    XLA,
    contrast,
    derivative,
    program,
    raised,
    same,
)

IN_EAGER, IN_GRAPH, AROUND, IN_BOTH, IN_XLA, AROUND_XLA = FORWARDS


def tenfold(forward):
    """A custom gradient that returns 10 times the upstream gradient."""

    @tf.custom_gradient
    def function(x):
        return forward(x), lambda upstream: tf.cast(10, upstream.dtype) * upstream

    return function


def doubled_outside(x):
    """2 x, computed by NumPy."""
    y = tf.numpy_function(lambda x: 2 * x, [x], x.dtype)
    y.set_shape(x.shape)
    return y


def three(x):
    """A vector whose components have the derivatives 1, none, and one from one path."""
    one_path = x[..., 2] * tf.round(x[..., 2]) + tf.round(x[..., 2])
    return tf.stack([x[..., 0], tf.round(x[..., 1]), one_path], -1)


def graph(function):
    """Return the function's `tf.function`. AutoGraph would need its source."""
    return tf.function(function, autograph=False)


def mapped(function):
    """Return the function that maps over the rows by `tf.vectorized_map`."""
    return lambda x: tf.vectorized_map(function, x)


def branch(function):
    """Return the function that calls the function in a branch."""
    return lambda x: tf.cond(tf.size(x) > 0, lambda: function(x), lambda: function(x))


def loop(function):
    """Return the function that calls the function in a loop with one step."""

    def looped(x):
        def step(i, x):
            return i + 1, function(x)

        return tf.while_loop(lambda i, _: i < 1, step, (0, x))[1]

    return looped


@pytest.mark.parametrize("forward", FORWARDS, ids=str)
def test_around_a_function(forward):
    function = tenfold(three)
    x = tf.constant([1.5, 2.5, 2.25])
    assert same(forward.jvp(graph(function), x), [10.0] * 3)
    if forward in (IN_EAGER, IN_GRAPH):
        for dtype in FLOATS:
            in_dtype = forward.jvp(graph(tenfold(tf.round)), tf.ones([2], dtype))
            assert same(in_dtype, [10.0, 10.0])
        unknown = tf.function(function, input_signature=[tf.TensorSpec(None)])
        assert same(forward.jvp(unknown, x), [10.0] * 3)
        called = graph(tenfold(tf.identity))
        in_more = forward.jvp(lambda x: 3.0 * called(5.0 * x) ** 2, 2.0)
        assert same(in_more, 3.0 * 2 * 10 * 10 * 5)
        with contrast("around a plain call of the custom gradient `f`"):
            assert same(forward.jvp(tenfold(tf.identity), 1.5), 1.0)
    if forward is IN_EAGER:
        with contrast("with tf.config.run_functions_eagerly(True), too"):
            tf.config.run_functions_eagerly(True)
            assert same(forward.jvp(graph(tenfold(tf.identity)), 1.5), 1.0)
            tf.config.run_functions_eagerly(False)


@pytest.mark.parametrize("forward", [IN_EAGER, IN_GRAPH, IN_XLA], ids=str)
def test_plain_call(forward):
    @tf.custom_gradient
    def stable(x):
        return tf.math.log1p(tf.exp(x)), lambda upstream: upstream * tf.sigmoid(x)

    # In the third component, one of two terms has a derivative.
    plains = {
        tf.identity: 1.0,
        tf.sin: np.cos(1.5),
        lambda x: three(tf.stack([x] * 3))[2]: 2.0,
    }
    for plain, right in plains.items():
        assert same(forward.jvp(tenfold(plain), 1.5), right, 1e-6)
    for dtype in FLOATS:
        x = tf.fill([2], tf.constant(1.5, dtype))
        assert same(forward.jvp(tenfold(tf.identity), x), [1.0, 1.0])
    limited = program("systems/forward/accumulators.py").limited
    assert same(forward.jvp(limited, 2.0), 1.0)
    assert same(forward.jvp(stable, 100.0), np.nan)
    with contrast("the gradient function wins, as for a tape"):
        assert same(EAGER.gradient(tenfold(tf.identity), 1.5), 10.0)
        assert same(EAGER.gradient(stable, 100.0), 1.0)
    with contrast("also around a `tf.function` with the custom gradient"):
        assert same(forward.jvp(graph(tenfold(tf.identity)), 1.5), 10.0)


@pytest.mark.parametrize("name", ["round", "stopped", "integer", "sign", "outside"])
def test_no_derivative(name):
    plain = {
        "round": tf.round,
        "stopped": lambda x: tf.sin(tf.stop_gradient(x)),
        "integer": lambda x: tf.cast(tf.cast(x, tf.int32), x.dtype),
        "sign": tf.sign,  # its derivative is a constant 0
        "outside": doubled_outside,
    }[name]
    function = tenfold(plain)
    x = tf.constant([1.5, 2.5])
    assert same(IN_EAGER.jvp(function, x), [10.0, 10.0])
    assert same(IN_GRAPH.jvp(function, x), [0.0, 0.0])
    if name != "outside":
        assert same(IN_XLA.jvp(function, 1.5), 0.0)
    for dtype in FLOATS if name == "round" else []:
        assert same(IN_EAGER.jvp(function, tf.ones([], dtype)), 10.0)
        assert same(IN_GRAPH.jvp(function, tf.ones([], dtype)), 0.0)
    with contrast("eagerly, a derivative that is computed as 0 counts as none"):
        assert same(IN_EAGER.jvp(tenfold(lambda x: 0.0 * x), 1.5), 0.0)
    with contrast("0 also around a `tf.function`"):
        if name == "round":
            assert same(AROUND.jvp(function, 1.5), 10.0)


def test_map_drops():
    function, x = tenfold(three), tf.constant([[1.5, 1.5, 2.25]] * 3)
    right = [[1.0, 0.0, 2.0]] * 3
    assert same(EAGER.gradient(mapped(function), x), right)
    for place in VECTORIZED:
        assert same(place.gradient(function, x[0]), right[0])
    assert same(EAGER.gradient(mapped(graph(function)), x[:2]), right[:2])
    assert same(XLA.gradient(mapped(tenfold(tf.sin)), x), np.cos(x), 1e-6)
    assert same(EAGER.gradient(mapped(branch(function)), x), right)
    assert same(EAGER.gradient(mapped(loop(tenfold(tf.identity))), x), np.ones([3, 3]))
    of_numpy = EAGER.gradient(mapped(tenfold(doubled_outside)), x)
    assert same(of_numpy, np.zeros([3, 3]))
    for dtype in (tf.float16, tf.float64):
        assert same(EAGER.gradient(mapped(function), tf.cast(x, dtype)), right)
    with contrast("over one example, too"):
        for of_one in EAGER, INSIDE, OUTSIDE:
            assert same(of_one.gradient(mapped(function), x[:1]), [[10.0] * 3])
    with contrast("also if the tape is inside the map"):
        inside = mapped(derivative(function))
        assert same(inside(x), np.full([3, 3], 10.0))
    with contrast("also a custom gradient of something else than the example"):
        of_w = EAGER.gradient(
            lambda w: tf.vectorized_map(lambda row: row * function(w), tf.ones([3])),
            x[0],
        )
        assert same(of_w, [3 * 10.0] * 3)
    with contrast("tf.map_fn drops it, too"):
        in_loop = EAGER.gradient(lambda x: tf.map_fn(function, x), x)
        assert same(in_loop, np.full([3, 3], 10.0))


@pytest.mark.parametrize("method", ["jacobian", "batch_jacobian"])
@pytest.mark.parametrize("has_pfor", [True, False], ids=["pfor", "no pfor"])
def test_jacobians_keep(method, has_pfor):
    def jacobian(function, x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = function(x)
        return getattr(tape, method)(y, x, experimental_use_pfor=has_pfor)

    def right(n):
        units = np.eye(n * n).reshape(n, n, n, n)
        return 10 * (units if method == "jacobian" else np.stack([np.eye(n)] * n))

    function = tenfold(three)
    x = tf.reshape(tf.range(1.25, 10.0), [3, 3])
    assert same(jacobian(function, x), right(3))
    assert same(jacobian(graph(function), x), right(3))
    assert same(tf.function(lambda x: jacobian(function, x))(x), right(3))
    square = x[:2, :2]
    small = tenfold(tf.round)
    for in_block in (branch(small), loop(small)):
        jacobian_of_block = tf.function(functools.partial(jacobian, in_block))
        assert same(jacobian_of_block(square), right(2))
    for dtype in (tf.float16, tf.bfloat16, tf.float64):
        assert same(jacobian(small, tf.cast(square, dtype)), right(2))
    with contrast("they drop it, as tf.vectorized_map does"):
        of_map = EAGER.gradient(mapped(small), square)
        assert same(of_map, np.zeros([2, 2])) and same(
            jacobian(small, square), right(2)
        )


def test_built_in():
    defined = program("systems/forward/identity.py")

    def function(x):
        return tf.stack([defined.reverse(x[0]), defined.rounded(x[1])])

    x, right = tf.constant([0.25, 2.5]), [-1.0, 1.0]
    rows = tf.stack([x, x, x])
    for place in (EAGER, INSIDE, OUTSIDE, NESTED, XLA):
        assert same(place.gradient(function, x), right)
    for place in (EAGER, OUTSIDE):
        assert same(place.gradient(mapped(function), rows), [right] * 3)
    for forward in FORWARDS:
        assert same(forward.jvp(function, x), right)
    assert same(IN_EAGER.jvp(mapped(function), rows), [right] * 3)
    assert same(mapped(lambda x: IN_EAGER.jvp(function, x))(rows), [right] * 3)
    for dtype in FLOATS:
        assert same(EAGER.gradient(function, tf.cast(x, dtype)), right)
        assert same(IN_EAGER.jvp(function, tf.cast(x, dtype)), right)
    with contrast("a gradient of tf.custom_gradient is the same in all three, too"):
        custom = tenfold(tf.identity)
        results = EAGER.gradient(custom, 1.5), IN_EAGER.jvp(custom, 1.5)
        assert same(results, [10.0, 1.0])
        assert same(EAGER.gradient(mapped(custom), x), [1.0, 1.0])


def test_one_example():
    defined = program("systems/forward/wrong/batch_of_one.py")
    for place in (EAGER, INSIDE, OUTSIDE, NESTED):
        for row in ([3.0], [[3.0, 5.0]]):
            assert same(place.gradient(defined.mapped, row), -np.ones_like(row))
    for shape in ([None], None):
        spec = [tf.TensorSpec(shape)]
        inside = tf.function(derivative(defined.mapped), input_signature=spec)
        outside = derivative(tf.function(defined.mapped, input_signature=spec))
        for function in (inside, outside):
            dropped = tf.convert_to_tensor(function(tf.constant([3.0])))
            with contrast("also for a single example, if the size is unknown"):
                assert same(dropped, [1.0])
    with contrast("also if the batch size is known to be 2"):
        assert same(EAGER.gradient(defined.mapped, [3.0, 5.0]), [1.0, 1.0])


@pytest.mark.parametrize(
    "function", [tenfold(tf.sin), tf.sin, lambda x: 3 * x], ids=["custom", "", "linear"]
)
def test_tape_over_accumulator(function):
    called = graph(function)

    def around(x):
        return IN_EAGER.jvp(called, x)

    x = tf.constant([0.5, 2.0], tf.float64)
    assert isinstance(raised(derivative(around), x), tf.errors.InternalError)
    assert isinstance(raised(derivative(around), tf.ones([])), tf.errors.InternalError)
    w = tf.Variable(2.0, dtype=tf.float64)
    with tf.GradientTape() as tape:
        jvp = IN_EAGER.jvp(graph(lambda x: w * function(x)), x)
    assert tape.gradient(jvp, w) is None
    with contrast("also without the `tf.function`"):
        with tf.GradientTape() as tape:
            jvp = IN_EAGER.jvp(lambda x: w * function(x), x)
        assert tape.gradient(jvp, w) is not None
    with contrast("in an outer `tf.function`, too"):
        assert tf.function(derivative(around))(x) is None
        both = INSIDE.gradient(lambda x: around(x) * x, x)
        assert same(both, around(x))  # the term with the second derivative is missing
    with contrast("also an accumulator inside the `tf.function`"):
        inside = graph(lambda x: IN_EAGER.jvp(function, x))
        assert raised(derivative(inside), x) is None
