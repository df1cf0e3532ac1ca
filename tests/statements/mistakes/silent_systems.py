"""What the page on silent failures around a rule says in words."""

import functools

import keras

from truth.statements.tries import *

BESIDE = [EAGER, PERSISTENT, INSIDE, XLA]
"""The tape sees each operation."""
AT_A_GRAPH = [AROUND, NESTED, AROUND_XLA, SYMBOLIC]
Forward = tf.autodiff.ForwardAccumulator


@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda upstream: -upstream


@tf.custom_gradient
def through(x):
    return tf.round(x), lambda upstream: upstream


@says("In the traced …")
@over(mode=[EAGER, INSIDE, AROUND])
def test_what_a_map_replaces(mode):
    rev = tf.custom_gradient(lambda x: (tf.identity(x), lambda u: -u))
    V = tf.constant([1.0, 2.0, 3.0])
    outer = lambda w: tf.vectorized_map(lambda v: v * rev(w), V)  # noqa: E731
    each = lambda w: tf.vectorized_map(lambda v: rev(v * w), V)  # noqa: E731
    assert same(mode.gradient(outer, 2.0), -6.0)
    assert same(mode.gradient(each, 2.0), 6.0)


@says("If the pivot …")
@over(mode=[EAGER, INSIDE, XLA])
def test_a_pivot_of_zero(mode):
    said = raised(mode.gradient, tf.linalg.inv, tf.zeros([2, 2]))
    assert (said is None) == (mode is XLA)


pointer(
    "Use this page …",
    "The cause is …",
    "The index by …",
    "`reverse` changes the …",
    "The program calls `reverse` …",
    "The gradient function of …",
    "Compare the second …",
    "The output and the gradient of dropout …",
    "Compare the signs:",
    "The program recomputes …",
    "The program computes the second …",
    "The same check …",
    "The input contains …",
    "Compare the three …",
    "The program computes the matrix …",
    "This matrix has …",
    "Look at the gradient, …",
    "The second row …",
    "`centered` subtracts the …",
    "Asked in tensorflow#53726 …",
    "Asked in tensorflow#127753.",
    "Asked in tensorflow#118075, tensorflow#119992.",
    "Asked in tensorflow#118673.",
    "Asked in tensorflow#17476.",
    "Asked in tensorflow#49946.",
    "Asked in tensorflow#38428.",
    "Asked in bert4keras#521.",
    "Asked in gradient-checkpointing#35.",
    "More: Jacobians and vectorizing.",
    "More: second order.",
    "More: what recompute_grad saves.",
    "More: captured tensors.",
    "More: a guard …",
    "More: which built-in …",
    "More: the determinant …",
    "More: roots and …",
    "Notice it earlier.",
    "Find your symptom …",
    "With — Symptom …",
    "Each entry starts …",
    "This program draws …",
    "Here `w` is …",
    "This program applies the three …",
    "This program applies the two fixes:",
    "This program applies the two fixes to …",
    "This program computes …",
    "Here the check …",
    "This program searches …",
    "This program prints …",
    "This custom gradient …",
    "The determinant in …",
    "This function checks …",
    "This program calls …",
    "The derivative of each …",
)


# Maps.


@says(
    "`tf.vectorized_map` traces the …",
    "In the traced graph, …",
    "A tape outside …",
    "With `tf.vectorized_map`, the …",
    "With all three …",
    "`tf.vectorized_map` — the custom …",
    "Fix: use `tf.map_fn`, …",
    "For example, the gradient …",
    "Compare the gradient with …",
    "Deliberately wrong: the tape …",
    "map_fn, or the …",
)
@over(mode=[EAGER, INSIDE, AROUND, NESTED, XLA])
def test_vectorized_map(mode):
    x = [1.3, 2.6]
    assert same(mode.gradient(lambda x: tf.vectorized_map(reverse, x), x), [1.0, 1.0])
    assert same(mode.gradient(lambda x: tf.vectorized_map(through, x), x), [0.0, 0.0])
    assert same(mode.gradient(lambda x: tf.map_fn(reverse, x), x), [-1.0, -1.0])
    assert same(mode.gradient(reverse, x), [-1.0, -1.0])
    sign = tf.custom_gradient(lambda x: (tf.sign(x), lambda upstream: upstream))
    assert same(mode.gradient(sign, x), [1.0, 1.0])
    assert same(mode.gradient(lambda x: tf.vectorized_map(sign, x), x), [0.0, 0.0])


@says(
    "By default, `tape.jacobian` …",
    "This loop maps …",
    "The first derivative …",
    "The wrong derivative …",
    "Both fixes give 0.8.",
    "`tape.jacobian` — a second …",
    "Fix: call `tape.jacobian` …",
    "Compare the result with the …",
    "Deliberately wrong: differentiate …",
    "The second derivative …",
)
@over(
    wrap={"eager": lambda f: f, "graph": tf.function},
    way={
        "default": ("jacobian", {}, 8.0),
        "rows": ("jacobian", {"experimental_use_pfor": False}, 0.8),
        "gradient": ("gradient", {}, 0.8),
    },
)
def test_jacobian_again(wrap, way):
    asked, (method, options, right) = [], way

    @tf.custom_gradient
    def tenth(x):
        def grad(upstream):
            asked.append(upstream)
            return 0.1 * upstream

        return tf.identity(x), grad

    @tf.custom_gradient
    def square(x):
        return 4.0 * x * x, lambda upstream: tenth(upstream * 8.0 * x)

    def second(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape(persistent=True) as inner:
                inner.watch(x)
                y = square(x)
            first = getattr(inner, method)(y, x, **options)
        before = len(asked)
        return first, outer.gradient(first, x), before

    first, found, before = wrap(second)(tf.constant(3.0))
    assert same(first, 24.0) and same(found, right, 1e-6)
    assert before == 0 and bool(asked) == (right == 0.8)


# A pass that is run again.


def both(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return y, tape.gradient(y, x)


@says(
    "`tf.recompute_grad` runs the …",
    "The second run draws …",
    "The output and the gradient of the recomputed …",
    "`keras.remat` around a …",
    "The output and the gradient have …",
    "In each pair …",
    "recomputation — the gradient changes …",
    "Fix: draw the …",
    "For dropout, assert …",
    "Deliberately wrong: the second forward …",
    "The mask is …",
)
@over(wrap={"eager": lambda f: f, "graph": tf.function})
def test_dropout(wrap):
    x, layer = tf.ones([200]), keras.layers.Dropout(0.5, seed=1)
    seed, mask = tf.constant([1, 2]), tf.nn.dropout(tf.ones([200]), 0.5)
    runs = []

    def plain(x):
        runs.append(x)
        return tf.nn.dropout(x, 0.5)

    def run(function):
        return wrap(lambda x: both(function, x))(x)

    for function in (
        tf.recompute_grad(plain),
        keras.remat(lambda x: layer(x, training=True)),
    ):
        y, slope = run(function)
        assert {*y.numpy()} == {*slope.numpy()} == {0.0, 2.0}
        assert not same(y, slope)
    assert len(runs) == 2
    for function in (
        plain,
        tf.recompute_grad(lambda x: x * mask),
        tf.recompute_grad(
            lambda x: tf.nn.experimental.stateless_dropout(x, 0.5, seed=seed)
        ),
    ):
        y, slope = run(function)
        assert same(slope * x, y)


FIT = {
    "eager": {"run_eagerly": True},
    "graph": {},
    "XLA": {"jit_compile": True},
}


class Recomputed(keras.layers.Layer):
    """A layer whose call runs again, with or without its training argument."""

    def __init__(self, layer, again, passes):
        super().__init__()
        self.layer, self.again, self.passes = layer, again, passes

    def build(self, shape):
        self.layer.build(shape)

    def call(self, x, training=None):
        options = {"training": training} if self.passes else {}
        return self.again(lambda x: self.layer(x, **options))(x)


def step(wrap, inner, **options):
    """The kernels after one step of fit, and what is not trained."""
    keras.utils.set_random_seed(0)
    block = keras.Sequential([keras.layers.Dense(3), inner(), keras.layers.ReLU()])
    model = keras.Sequential([keras.Input([2]), wrap(block), keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(0.125), "mse", **options)
    x = np.random.default_rng(0).normal(1.0, 2.0, size=(8, 2)).astype("float32")
    model.fit(x, x[:, :1], batch_size=8, verbose=0)
    return [each.numpy() for each in model.trainable_variables]


@functools.cache
def plain_step(inner, **options):
    return step(lambda block: block, inner, **options)


def dropout():
    return keras.layers.Dropout(0.5, seed=1)


@says(
    "Fix: accept `training` …",
    "Run one step …",
    "The layer `Recomputed` …",
    "The program runs one step …",
    "Compare the kernels:",
    "With the recomputed …",
    "recomputation — `fit` trains …",
    "The kernel is wrong …",
    "This layer calls …",
    "Both kernels agree.",
    "With dropout in …",
    "Deliberately wrong: the second run …",
    "Both runs of …",
)
@over(options=FIT, again=[keras.remat, tf.recompute_grad])
def test_training(options, again):
    batch = keras.layers.BatchNormalization
    plain = plain_step(batch, **options)

    def found(inner, passes):
        return step(lambda block: Recomputed(block, again, passes), inner, **options)

    lost, passed = found(batch, False), found(batch, True)
    assert all(map(close, passed, plain))
    assert not close(lost[0], plain[0]) and close(lost[-1], plain[-1])
    right = plain_step(dropout, **options)
    assert not all(map(close, found(dropout, True), right))
    if options == FIT["eager"]:
        for inner in (keras.layers.LayerNormalization, keras.layers.Identity):
            right = plain_step(inner, **options)
            assert all(map(close, found(inner, False), right))
    wrong, right = trace("wrong/training.py").all("kernel")
    assert (wrong, right) == (3.4312, 1.0001)


@says(
    "Keras passes the …",
    "The block runs …",
    "In the second …",
    "The result is the gradient …",
)
@over(again=[keras.remat, tf.recompute_grad])
def test_runs(again):
    modes = []

    class Noted(keras.layers.BatchNormalization):
        def call(self, x, training=None):
            modes.append(training)
            return super().call(x, training=training)

    for passes in (False, True):
        modes.clear()
        layer = Noted()
        outer = Recomputed(layer, again, passes)
        x = tf.constant([[1.0, 0.0], [2.0, 7.0], [4.0, 1.0], [5.0, 2.0]])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = outer(x, training=True)
        before = [each.numpy() for each in layer.non_trainable_variables]
        slope = tape.gradient(y, x, 2.0 * y)
        assert modes == ([True, True] if passes else [True, None])
        for each, value in zip(layer.non_trainable_variables, before):
            each.assign(value)
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = layer(x, training=passes)
        assert close(slope, tape.gradient(z, x, 2.0 * y))


ONCE = [
    each
    for each in EVERYWHERE
    if each is AROUND
    or each.name in ("strategy.run, tape around", "unknown batch, tape around")
]
TWICE = [
    each
    for each in EVERYWHERE
    if each in (EAGER, PERSISTENT, INSIDE, NESTED, XLA, AROUND_XLA, SYMBOLIC)
    or each.name in ("tape around nested tf.function", "strategy.run, tape inside")
]


@says(
    "The moving mean is 1.5, …",
    "The moving mean is updated twice …",
    "The moving mean is updated only …",
    "The program calls the layer …",
    "Look at the moving …",
    "Each run of …",
    "The gradient is right, …",
    "Without this argument, …",
    "So the averages …",
    "recomputation — the moving averages …",
    "Fix: keep each …",
    "In the fix, …",
    "The backward pass …",
    "Compare the state …",
    "Deliberately wrong: batch normalization …",
    "The batch normalization …",
    was="'each run': the tape around a tf.function or strategy.run, once",
)
@over(mode=ONCE + TWICE)
def test_moving_mean(mode):
    x = tf.constant([[1.0], [3.0], [8.0]])
    layers = [keras.layers.BatchNormalization(momentum=0.5) for _ in range(4)]
    for layer in layers:
        layer.build(x.shape)
    one, two, before, plain = [functools.partial(f, training=True) for f in layers]
    first = tf.recompute_grad(lambda x: one(x))
    second = keras.remat(lambda x: two(x))
    outside = tf.recompute_grad(tf.sin)
    *found, _ = mode.gradients(
        lambda x, y, z: first(x) ** 3 + second(y) ** 3 + outside(before(z)), x, x, x
    )
    right = EAGER.gradient(lambda x: plain(x) ** 3, x)
    assert close(found, [right, right])
    twice = 2 if mode in TWICE else 1
    for layer, updates in zip(layers, (twice, twice, 1, 1)):
        moved = 4 * (1 - 0.5**updates)
        assert same(layer.moving_mean.numpy(), [moved], 1e-5)
    wrong, right = trace("wrong/moving_mean.py")
    assert (wrong.numbers, right.numbers) == ([1.5], [1.0])


def close(one, other):
    return np.allclose(one, other, 1e-4, 1e-5)


@says(
    "`tf.recompute_grad` is a …",
    "The forward pass isn't …",
    "In both cases …",
    "recomputation — the gradient of …",
    "Both tensors have …",
    "Fix: pass every …",
    "Write `assert all(each is not None for each in gradients)` …",
    "Deliberately wrong: recompute_grad …",
    "Each tensor that …",
)
@over(mode=[EAGER, INSIDE, AROUND, XLA])
def test_closed_over(mode):
    v = tf.Variable(5.0)

    def by_closure(x, w):
        return tf.recompute_grad(lambda x: w * x)(x)

    def by_position(x, w):
        return tf.recompute_grad(lambda x, w: w * x * v)(x, w)

    assert same(mode.gradients(by_closure, 3.0, 2.0), [2.0, None])
    assert same(mode.gradients(by_position, 3.0, 2.0), [10.0, 15.0])
    with tf.GradientTape() as tape:
        y = by_position(tf.constant(3.0), tf.constant(2.0))
    assert same(tape.gradient(y, v), 6.0)
    by_keyword = program("wrong/closed_over.py").by_keyword
    with tf.GradientTape() as tape:
        tape.watch(w := tf.constant(2.0))
        y = by_keyword(tf.constant(3.0), w)
    assert tape.gradient(y, w) is None


# Forward mode.


def jvp(function, x):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = function(x)
    return accumulator.jvp(y)


@says(
    "This is a …",
    "In a `tf.function`, …",
    "Both fixes give 4.2, …",
    "forward mode — a second …",
    "Fix: replace the …",
    "Compare the result with forward-over-reverse …",
    "Deliberately wrong: forward …",
    "Forward over reverse, …",
)
@over(x=[0.7, -2.0], jit_compile=[None, True])
def test_nested_forward(x, jit_compile):
    assert tf.__version__.startswith("2.21")

    def cube(x):
        m = tf.identity(x)
        return (m * m) * m

    def square(x):
        return tf.identity(x) * x

    def over_forward(function, x):
        return jvp(lambda x: jvp(function, x), x)

    x = tf.constant(x)
    assert not same(over_forward(cube, x), 6 * x, 1e-2)
    assert same(over_forward(square, x), 2.0)
    graph = tf.function(lambda x: over_forward(cube, x), jit_compile=jit_compile)
    assert same(graph(x), 6 * x, 1e-5)
    assert same(jvp(lambda x: EAGER.gradient(cube, x), x), 6 * x, 1e-5)


PROCESS = """
import tensorflow as tf

def jvp(function, x):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = function(x)
    return accumulator.jvp(y)

def twice(function, x):
    return jvp(lambda x: jvp(function, x), x)

def cube(x):
    m = tf.identity(x)
    return (m * m) * m

def wave(x):
    return tf.sin(x) * tf.exp(x)

def double(x):
    m = tf.identity(x)
    return m + m

def total(x):
    m = tf.identity(x)
    return tf.sin(m) + m

x = tf.constant(0.7)
for name in ORDER.split():
    function = globals()[name]
    graph = tf.function(lambda x: twice(function, x))
    print(name, float(twice(function, x)), float(graph(x)))
"""


@says(
    "In eager mode, the …",
    "From then on, …",
    "So `wave` is …",
    "Both second derivatives …",
    was="'a product misses a part where a factor is used again': it depends on what ran before",
)
@over(
    order=["cube wave", "wave cube", "double total", "total cube"],
)
def test_what_ran_before(order):
    found = {
        line.split()[0]: [float(each) for each in line.split()[1:]]
        for line in elsewhere(PROCESS.replace("ORDER", repr(order))).splitlines()
    }
    wrong = {name for name, (eager, graph) in found.items() if abs(eager - graph) > 0.1}
    expected = {
        "cube wave": {"cube", "wave"},
        "wave cube": set(),
        "double total": {"total"},
        "total cube": {"cube"},
    }
    assert wrong == expected[order]
    right = {"cube": 4.2, "wave": 3.0804, "double": 0.0, "total": -0.6442}
    assert all(abs(graph - right[name]) < 1e-3 for name, (_, graph) in found.items())
    lines = trace("wrong/nested_forward.py")
    assert len(lines) == 2 and all(
        abs(line.numbers[-2] - line.numbers[-1]) > 1 for line in lines
    )


# XLA.


@says(
    "XLA drops assertions …",
    "Under XLA, `tf.debugging.check_numerics` …",
    "XLA returns the …",
    "XLA — a check …",
    "Outside the compiled …",
    "Fix: move the …",
    "Deliberately wrong: an …",
    "The assertion is …",
)
@over(
    guard={
        "numerics": lambda x: tf.debugging.check_numerics(tf.math.log(x), "log"),
        "positive": lambda x: (tf.debugging.assert_positive(x), tf.math.log(x))[1],
        "Assert": lambda x: (tf.debugging.Assert(x[0] > 0, [x]), tf.math.log(x))[1],
    }
)
def test_guards(guard):
    x = tf.constant([-1.0, 1.0])
    assert "InvalidArgumentError" in message(guard, x)
    assert "InvalidArgumentError" in message(tf.function(guard), x)
    y = tf.function(guard, jit_compile=True)(x)
    assert same(y, [np.nan, 0.0])
    assert "NaN" in message(tf.debugging.check_numerics, y, "log")


@says(
    "TensorFlow divides the …",
    "Without XLA, the …",
    "XLA skips the …",
    "Under XLA, neither …",
    "XLA — the input …",
    "The second line …",
    "Fix: search for …",
    "Deliberately wrong: the gradient …",
    "Search the input …",
)
@over(mode=[EAGER, INSIDE, AROUND, XLA, AROUND_XLA])
def test_reduce_max(mode):
    assert same(mode.gradient(tf.reduce_max, [2.0, 2.0, 1.0]), [0.5, 0.5, 0.0])
    x = tf.constant([1.0, 2.0, np.nan])
    assert not bool(x[2] == x[2]) and np.isnan(tf.constant(0.0) / 0.0)
    found = mode.gradient(tf.reduce_max, x)
    if mode in (XLA, AROUND_XLA):
        assert same(found, [0.0, 1.0, 0.0])
        assert same(tf.function(tf.reduce_max, jit_compile=True)(x), 2.0)
    else:
        assert np.isnan(found).all()
    assert tf.reduce_any(tf.math.is_nan(x))


# Matrices.


@says(
    "The gradient of `tf.linalg.eigh` …",
    "Where a difference …",
    "The gradient of `tf.linalg.svd` …",
    "The gradient through …",
    "eigenvectors — the gradient …",
    "The gradient of `tf.linalg.expm` …",
    "Fix: use an …",
    "If you need …",
    "Deliberately wrong: a gradient …",
    "Compute a matrix …",
)
@over(mode=[EAGER, AROUND], gap=[0.0, 0.5])
def test_eigenvectors(mode, gap):
    X = tf.linalg.diag(tf.constant([1.0, 1.0 + gap], tf.float64))

    def by_eigh(X):
        values, V = tf.linalg.eigh(X)
        return tf.reduce_sum(V @ tf.linalg.diag(tf.exp(values)) @ tf.transpose(V))

    def by_svd(X):
        s, U, V = tf.linalg.svd(X)
        return tf.reduce_sum(U @ tf.linalg.diag(tf.exp(s)) @ tf.transpose(V))

    def direct(X):
        return tf.reduce_sum(tf.linalg.expm(X))

    h = np.array([[0, 1e-5], [1e-5, 0]])
    slope = (direct(X + h) - direct(X - h)) / 2e-5
    for function in (by_eigh, by_svd, direct):
        found = mode.gradient(function, X)
        is_lost = gap == 0 and function is not direct
        assert close(found[0, 1] + found[1, 0], 0.0 if is_lost else slope)
    assert all("gap" in line.text for line in trace("eigenvectors.py"))


@says(
    "For a complex …",
    "The gradient of `tf.linalg.det` lacks …",
    "The gradient of `tf.linalg.det` isn't …",
    "a complex determinant …",
    "For a real …",
    "The gradient is 2.",
    "The same formula …",
    "The determinant of …",
    "Fix: write a …",
    "Deliberately wrong: the determinant …",
    "A custom gradient …",
)
@over(mode=[EAGER, INSIDE, AROUND], z=[1 + 2j, 3 - 1j])
def test_det(mode, z):
    def by(det):
        return lambda z: det(tf.stack([[z, 3.0], [1j, 2.0]]))

    z, own = tf.constant(z, tf.complex128), program("det.py").det
    right = mode.gradient(lambda z: 2.0 * z - 3j, z)
    assert same(mode.gradient(lambda z: z * z, z), np.conj(2 * z), 1e-9)
    assert not same(mode.gradient(by(tf.linalg.det), z), right, 1e-3)
    assert same(mode.gradient(by(own), z), right, 1e-9)
    one = tf.linalg.det([[z]])
    assert same(one, z) and same(mode.gradient(tf.identity, z), 1.0)
    found = mode.gradient(lambda z: program("wrong/det.py").determinant(z), z)
    assert not same(found, 1.0, 1e-3)
    found = mode.gradient(
        lambda x: tf.linalg.det(tf.stack([[x, 3.0], [1.0, 2.0]])), np.real(z).item()
    )
    assert same(found, 2.0, 1e-5)


@says(
    "Because of rounding …",
    "If the pivot …",
    "The gradient is finite, …",
    "`tf.linalg.inv` — the gradient …",
    "The assertion passes …",
    "Fix: check the …",
    "Deliberately wrong: the inverse …",
    "Assert that the …",
)
@over(mode=[EAGER, INSIDE, AROUND])
def test_inverse(mode):
    guarded = program("inverse.py").inverse
    whole = tf.constant([[1.0, 2.0], [2.0, 4.0]])  # exact in binary
    tenths = tf.constant([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]])
    lu, _ = tf.linalg.lu(tenths)
    assert 0 < abs(lu[2, 2]) < 1e-6 and raised(tf.linalg.lu, whole)
    found = mode.gradient(lambda X: tf.linalg.trace(tf.linalg.inv(X)), tenths)
    assert np.isfinite(found).all() and np.abs(found).max() > 1e6
    assert "not invertible" in message(mode.gradient, tf.linalg.inv, whole)
    assert "no inverse" in message(mode.gradient, guarded, tenths)
    assert not message(mode.gradient, guarded, tf.eye(3) + 0.1)
    for X, passes in (tf.eye(3) + 0.1, True), (tenths, False):
        Y = tf.linalg.inv(X)
        off = tf.norm(Y @ X - tf.eye(X.shape[0]))
        assert (message(tf.debugging.assert_less, off, 1e-2) == "") == passes


@says(
    "The norm is …",
    "The derivative of the …",
    "If all rows …",
    "The gradient of this …",
    "`tf.norm` — the gradient …",
    "The gradient of the second …",
    "Fix: let `s` …",
    "Deliberately wrong: the norm …",
    "A norm with …",
)
@over(
    mode=[EAGER, INSIDE, AROUND, XLA],
    norm={"TensorFlow's": lambda x: tf.norm(x, axis=1), "own": None},
)
def test_norm(mode, norm):
    is_nan, norm = norm is not None, norm or program("norm.py").norm
    assert same(mode.gradient(tf.sqrt, 0.0), np.inf)
    assert same(mode.gradient(tf.square, 0.0), 0.0)
    root = mode.gradient(
        lambda s: tf.where(s > 0.0, tf.sqrt(tf.where(s > 0.0, s, 1.0)), 0.0),
        [25.0, 0.0],
    )
    assert same(root, [0.1, 0.0], 1e-6)
    x = tf.constant([[3.0, 4.0], [0.0, 0.0]])
    found = mode.gradient(norm, x).numpy()
    assert same(found[0], [0.6, 0.8], 1e-6)
    assert np.isnan(found[1]).all() if is_nan else same(found[1], [0.0, 0.0])
    assert np.isnan(mode.gradient(lambda w: norm(x * w), 1.0)) == is_nan


# What is drawn, written, mixed and unwrapped.


@says(
    "`tape.batch_jacobian` differentiates sums …",
    "The result is right …",
    "A mean over …",
    "`tape.batch_jacobian` returns 0, …",
    "`tape.batch_jacobian` — the derivatives …",
    "The diagonal of …",
    "The program also …",
    "Fix: use `tape.jacobian`, …",
    "Deliberately wrong: batch_jacobian …",
    "tape.jacobian also has …",
)
@over(
    wrap={"eager": lambda f: f, "graph": tf.function},
    function={
        "alone": tf.sin,
        "centered": lambda x: x - tf.reduce_mean(x, axis=0),
        "normalized": lambda x: tf.math.l2_normalize(x, axis=0),
    },
)
def test_coupled(wrap, function):
    def jacobians(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = function(x)
        return tape.batch_jacobian(y, x), tape.jacobian(y, x)[:, 0, :, 0]

    by_batch, full = wrap(jacobians)(tf.constant([[1.0], [2.0], [6.0]]))
    assert close(by_batch[:, 0, 0], tf.reduce_sum(full, axis=0))
    own, alone = tf.linalg.diag_part(full), function is tf.sin
    assert close(by_batch[:, 0, 0], own) == alone
    assert close(full, tf.linalg.diag(own)) == alone
