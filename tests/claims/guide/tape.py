"""The claims of docs/guide/tape.md."""

import itertools

import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

from tests.harness import (
    EAGER,
    EVERYWHERE,
    FLOATS,
    INSIDE,
    MODES,
    OUTSIDE,
    PERSISTENT,
    contrast,
    numbers,
    raised,
    same,
)

WRAPS = {"eager": lambda function: function, "inside": tf.function}
WRAP = pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)


def noting(calls):
    """x², whose gradient function appends its upstream gradient to a list."""

    @tf.custom_gradient
    def square(x):
        x = tf.identity(x)  # else, a branch raises

        def grad(upstream):
            calls.append(upstream)
            return tf.convert_to_tensor(upstream) * 2 * x

        return x * x, grad

    return square


@pytest.mark.parametrize("place", EVERYWHERE, ids=str)
def test_starts_with_ones(place):
    shapes = [(), (3,), (2, 0), (2, 1, 3)]
    xs = [tf.fill(shape, 3.0) for shape in shapes]
    xs += [tf.fill([3], tf.constant(3, dtype)) for dtype in place.dtypes]
    assert same(place.each(noting([]), xs), [tf.fill(x.shape, 6.0) for x in xs])
    with contrast("with one over their number, as for a mean"):
        mean = EAGER.gradient(noting([]), xs[1], loss=tf.reduce_mean)
        assert same(mean, [2.0] * 3)


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.name)
@WRAP
@given(x=numbers(-9, 9))
def test_identity(wrap, dtype, x):
    def gradients(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            equal, no_copy = tf.identity(x), tf.cast(x, dtype)
            y = x * x
            used = x
            x = x + 1
        return [tape.gradient(y, source) for source in (used, no_copy, equal, x)]

    x = tf.cast(x, dtype)
    used, no_copy, equal, rebound = wrap(gradients)(x)
    assert same(used, 2 * x) and same(no_copy, 2 * x)
    with contrast("by value: an equal tensor gets None"):
        assert equal is None
    with contrast("by the name of the Python variable: a rebound name gets None"):
        assert rebound is None


@pytest.mark.parametrize("place", EVERYWHERE, ids=str)
def test_whole_sum(place):
    @tf.custom_gradient
    def clipped(x):
        def grad(upstream):
            return tf.minimum(upstream, tf.ones_like(upstream))

        return tf.identity(x), grad

    def three_uses(x):
        u = clipped(x)
        return tf.cast(0.75, x.dtype) * u + tf.cast(0.5, x.dtype) * u - 0 * u

    xs = [tf.constant(2, dtype) for dtype in place.dtypes]
    assert same(place.each(three_uses, xs), [1.0] * len(xs))
    with contrast("with each term, of which none passes the limit"):
        assert same(place.gradient(tf.function(lambda x: 0.75 * clipped(x)), 2.0), 0.75)


@pytest.mark.parametrize("place", [EAGER, PERSISTENT], ids=str)
@pytest.mark.parametrize("needed", ["x", "u"])
def test_every_step(place, needed):
    first, second, aside = [], [], []
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=place is PERSISTENT) as tape:
        tape.watch(x)
        u = noting(first)(x)
        loss = noting(second)(u)
        noting(aside)(u)
    tape.gradient(loss, {"x": x, "u": u}[needed])
    assert len(first) == len(second) == 1
    with contrast(
        "of every recorded step, also of those that don't lead to the target"
    ):
        assert not aside
    with contrast("of every step that leads to the target, also behind a None"):
        behind, x = [], tf.constant(2.0)
        blocks = tf.custom_gradient(lambda x: (2.0 * x, lambda upstream: None))
        assert place.gradient(lambda x: blocks(noting(behind)(x)), x) is None
        assert not behind


@pytest.mark.parametrize("inner", WRAPS.values(), ids=["plain", "in a tf.function"])
@WRAP
def test_watches_variables(wrap, inner):
    for dtype in FLOATS:
        w, frozen = (tf.Variable(2, dtype=dtype, trainable=t) for t in (True, False))
        unread, x = tf.Variable(2, dtype=dtype), tf.constant(2, dtype)
        sources = [w, frozen, x, unread]
        product = inner(lambda w=w, frozen=frozen, x=x: w * frozen * x)

        def gradients(by_hand=(), product=product, sources=sources, **options):
            with tf.GradientTape(**options) as tape:
                tape.watch(by_hand)
                y = product()
            names = [id(variable) for variable in tape.watched_variables()]
            indices = [i for i, source in enumerate(sources) if id(source) in names]
            return indices, tape.gradient(y, sources)

        def run(*arguments, **options):
            return wrap(lambda: gradients(*arguments, **options))()

        assert same(run(), [[0], [4, None, None, None]])
        assert same(run([frozen, x]), [[0, 1], [4, 4, 4, None]])
        with contrast("also with `watch_accessed_variables=False`"):
            only_by_hand = run([frozen, x], watch_accessed_variables=False)
            assert same(only_by_hand, [[1], [None, 4, 4, None]])
        with contrast("also before the block, or in `tape.stop_recording()`"):
            product()
            with tf.GradientTape() as tape:
                with tape.stop_recording():
                    product()
                tf.stop_gradient(w)
            assert not tape.watched_variables()


@pytest.mark.parametrize("is_variable", [False, True], ids=["tensor", "variable"])
@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.name)
@WRAP
def test_watch_before_use(wrap, dtype, is_variable):
    x = tf.Variable(2, dtype=dtype) if is_variable else tf.constant(2, dtype)

    def gradients():
        with tf.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
            early = x * x
            tape.watch(x)
            late = early * x
        return tape.gradient(early, x), tape.gradient(late, x)

    early, late = wrap(gradients)()
    assert early is None and late == 4
    with contrast("watching also covers what the block computed before: 3 x² is 12"):
        assert late != 12


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_path_ends(mode):
    ends = {
        "integer": lambda x: tf.cast(tf.cast(x, tf.int32), x.dtype),
        "boolean": lambda x: tf.cast(x > 1, x.dtype),
        "stop_gradient": tf.stop_gradient,
    }
    xs = [tf.constant(2.5, dtype) for dtype in FLOATS]
    for end in ends.values():
        assert mode.each(end, xs) == [None] * len(xs)
        assert same(mode.each(tf.recompute_grad(end), xs), [0.0] * len(xs))
        with contrast("the result is always None"):
            pair = tf.function(lambda x: (end(x), 3 * x))
            assert same(mode.gradient(lambda x: pair(x)[0], xs[0]), 0.0)
    with contrast("a cast to another float, which keeps the path"):
        assert same(mode.each(lambda x: tf.cast(x, tf.float64), xs), [1.0] * len(xs))


@pytest.mark.parametrize("place", EVERYWHERE, ids=str)
def test_zeros_for_unused(place):
    @tf.custom_gradient
    def both(x):
        def grad(of_sum, of_stack):
            zeros = [tf.reduce_all(tf.equal(up, 0)) for up in (of_sum, of_stack)]
            sizes = [tf.size(up) for up in (of_sum, of_stack)]
            flags = [tf.cast(is_zero, tf.int32) for is_zero in zeros]
            return tf.cast(tf.stack([*flags, *sizes]), x.dtype)

        x = tf.identity(x)
        return (x[:1] + x[1:2], tf.stack([x, x])), grad

    xs = [tf.ones([4], dtype) for dtype in place.dtypes]
    of_first = place.each(lambda x: both(x)[0], xs)
    of_second = place.each(lambda x: both(x)[1], xs)
    assert same(of_first, [[0, 1, 1, 8]] * len(xs))  # zeros in the shape [2, 4]
    assert same(of_second, [[1, 0, 1, 8]] * len(xs))
    with contrast("ones, as for an output that is used"):
        of_both = EAGER.gradient(lambda x: sum(map(tf.reduce_sum, both(x))), xs[0])
        assert same(of_both, [0, 0, 1, 8])
    if place in (INSIDE, OUTSIDE):
        with contrast("for an integer output, too"):
            received = []

            @tf.custom_gradient
            def with_integer(x):
                grad = lambda up, of_integer: received.append(of_integer) or up
                return (2.0 * x, tf.cast(x, tf.int32)), grad

            place.gradient(lambda x: with_integer(x)[0], 1.0)
            assert (received[-1] is None) == (place is OUTSIDE)


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("has_custom", [True, False], ids=["custom", "plain"])
@WRAP
def test_inside_the_outer_block(wrap, has_custom, dtype):
    square = noting([]) if has_custom else tf.square

    def second(is_inside, x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x * square(x)
            if is_inside:
                first = inner.gradient(y, x)
        if not is_inside:
            first = inner.gradient(y, x)
        return outer.gradient(first, x)

    x = tf.constant(2, dtype)
    assert same(wrap(lambda x: second(True, x))(x), 12.0)
    with contrast("after the block it works, too"):
        assert wrap(lambda x: second(False, x))(x) is None


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("mode", [EAGER, PERSISTENT], ids=str)
def test_only_captured(mode, dtype):
    calls = []

    def scaled(k):
        @tf.custom_gradient
        def of_x(x):
            def grad(upstream):
                calls.append(upstream)
                return 100 * upstream

            return k * k * x, grad

        return of_x

    x, k = tf.constant(3, dtype), tf.constant(2, dtype)
    assert same(mode.gradient(lambda k: scaled(k)(x), k), 2.0 * 2 * 3) and not calls
    assert same(mode.gradient(scaled(k), x), 100.0) and len(calls) == 1
    with contrast("in a graph, too"):
        assert INSIDE.gradient(lambda k: scaled(k)(x), k) is None


@pytest.mark.parametrize("with_function", [False, True], ids=["plain", "tf.function"])
@WRAP
def test_one_gradient(wrap, with_function):
    function = tf.function(tf.square) if with_function else tf.square

    def twice(persistent, x):
        with tf.GradientTape(persistent=persistent) as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x) + tape.gradient(y, x)

    x = tf.constant(3.0)
    error = raised(wrap(lambda x: twice(False, x)), x)
    assert isinstance(error, RuntimeError) and "non-persistent" in str(error)
    with contrast("also a tape that is persistent"):
        assert wrap(lambda x: twice(True, x))(x) == 12


@st.composite
def graphs(draw):
    """Products: each step multiplies two of the values before it."""
    length = draw(st.integers(2, 5))
    return [
        (draw(st.integers(0, at)), draw(st.integers(max(0, at - 1), at)))
        for at in range(length)
    ]


@pytest.mark.parametrize("mode", MODES, ids=str)
@given(steps=graphs())
def test_reverse_order(mode, steps):
    calls = []

    def multiply(at, a, b):
        @tf.custom_gradient
        def product(a, b):
            def grad(upstream):
                calls.append(at)
                return upstream * b, upstream * a

            return a * b, grad

        return product(a, b)

    def run(x):
        values = [x]
        for at, (one, other) in enumerate(steps, 1):
            values.append(multiply(at, values[one], values[other]))
        return values[-1]

    mode.gradient(run, tf.constant(1.5))
    order = list(dict.fromkeys(calls))
    for at, user in itertools.permutations(order, 2):
        if at in steps[user - 1]:
            assert order.index(user) < order.index(at)
    with contrast("in the order of the forward pass"):
        assert order[0] == len(steps)
