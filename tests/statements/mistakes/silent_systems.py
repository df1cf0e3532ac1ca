"""What the page on silent failures around a rule says in words."""

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


pointer(
    "No message, and a number that is not the gradient.",
    "On this page the rule is right, or there is none, and TensorFlow around it is what goes wrong: a map, a compiler, a second tape, a pass that is run again.",
    "The entries come in the order in which one meets them.",
    "Mistakes in the rule itself are on the page before, and those of its call on the one before that, with clipped slices and functions that lose their rule as arguments.",
    "Asked in tensorflow#53726 and pennylane#2068.",
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
    "More: a rule that leaves an input out.",
    "More: a guard in the rule.",
    "More: which built-ins forget it.",
    "More: the determinant at a singular matrix.",
    "More: roots and norms at zero.",
    "Notice it earlier.",
)


# Maps.


@says(
    "`tf.vectorized_map` traces the function and converts its operations one by one.",
    "The identity operation that carries the rule is replaced by one that carries none, and a tape around the map takes the slopes of the forward pass.",
    "A straight-through rule gets a zero in this way.",
    "Put the tape inside, map with `tf.map_fn`, or call the function on the batch.",
    "Compare with `tf.map_fn`, as the assertion above does with what the rule says.",
    "Wrong on purpose: the tape runs around tf.vectorized_map.",
    "The rule holds in map_fn, and with the tape inside tf.vectorized_map.",
)
@over(mode=[EAGER, INSIDE, AROUND, NESTED, XLA])
def test_vectorized_map(mode):
    x = [1.3, 2.6]
    assert same(mode.gradient(lambda x: tf.vectorized_map(reverse, x), x), [1.0, 1.0])
    assert same(mode.gradient(lambda x: tf.vectorized_map(through, x), x), [0.0, 0.0])
    assert same(mode.gradient(lambda x: tf.map_fn(reverse, x), x), [-1.0, -1.0])
    assert same(mode.gradient(reverse, x), [-1.0, -1.0])


@says(
    "By default `tape.jacobian` runs the backward pass in the loop of `tf.vectorized_map`, which drops a rule that `grad` applies to upstream.",
    "The first derivative does not ask that rule; the outer tape does.",
    "`experimental_use_pfor=False` with a persistent tape, or `tape.gradient`.",
    "Compare with the gradient of a gradient.",
    "Wrong on purpose: a default tape.jacobian is differentiated again.",
    "Differentiated again: the Jacobian row by row, or a gradient.",
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
    "The forward pass runs again when the gradient is asked for, and the second run takes the next random numbers.",
    "The gradient is that of another mask.",
    "`keras.remat` around a `keras.layers.Dropout` does the same.",
    "Draw the mask outside, or a seed for `tf.nn.experimental.stateless_dropout`.",
    "For dropout, `slope * x` is `y`: one assertion.",
    "Wrong on purpose: the forward pass that is run again draws other numbers.",
    "The mask is drawn outside, so that both runs have the same.",
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


@says(
    "The moving mean is updated by each run of the forward pass, and the backward pass is one more.",
    "The gradient is right; what is saved for inference moves too fast.",
    "Recompute what lies between such layers.",
    "Compare the state before and after `tape.gradient`.",
    "Wrong on purpose: batch normalization runs again, and updates again.",
    "Batch normalization stays outside of what is recomputed.",
)
@over(again=[tf.recompute_grad, keras.remat], momentum=[0.5, 0.9])
def test_moving_mean(again, momentum):
    x, slopes = tf.constant([[1.0], [3.0], [8.0]]), []
    for wrap in (lambda f: f, again):
        layer = keras.layers.BatchNormalization(momentum=momentum)
        layer.build(x.shape)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = wrap(lambda x, layer=layer: layer(x, training=True))(x) ** 3
        before = layer.moving_mean.numpy()
        slopes.append(tape.gradient(y, x))
        once, twice = 4 * (1 - momentum), 4 * (1 - momentum**2)
        assert same(before, [once], 1e-5)
        assert same(layer.moving_mean.numpy(), [twice if wrap is again else once], 1e-5)
    assert close(*slopes)


def close(one, other):
    return np.allclose(one, other, 1e-4, 1e-5)


@says(
    "`tf.recompute_grad` is a rule, and a rule has gradients for positional arguments and for variables.",
    "The forward pass is not recorded, so that no other path leads to `w`.",
    "Pass every tensor that wants a gradient by position.",
    "`assert all(each is not None for each in gradients)`.",
    "Wrong on purpose: recompute_grad, and tensors not passed by position.",
    "Each tensor that wants a gradient is a positional argument.",
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
    defined = program("wrong/closed_over.py")
    with tf.GradientTape() as tape:
        tape.watch(defined.w)
        y = defined.by_keyword(tf.constant(3.0))
    assert tape.gradient(y, defined.w) is None


# Forward mode.


def jvp(function, x):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = function(x)
    return accumulator.jvp(y)


@says(
    "A bug of TensorFlow 2.21: in eager mode, a product misses a part of its second derivative where a factor is used again.",
    "In a `tf.function` the same code is right.",
    "Forward over reverse; or trace both accumulators together.",
    "Compare the two.",
    "Wrong on purpose: forward mode over forward mode, eagerly.",
    "Forward over reverse, or both accumulators in one tf.function.",
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


# XLA.


@says(
    "XLA compiles no assertions.",
    "`tf.debugging.check_numerics` passes its input on, and `tf.debugging.assert_positive` vanishes.",
    "Check what comes out of the compiled function.",
    "Wrong on purpose: a guard in a function that XLA compiles.",
    "The guard stands outside of what XLA compiles.",
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
    "The gradient is divided among the places where the input equals the maximum.",
    "NaN equals nothing, and eagerly that is 0 divided by 0.",
    "XLA skips the NaN, and takes 2 for the maximum.",
    "Ask the input.",
    "Wrong on purpose: the gradient of a maximum with a NaN, under XLA.",
    "Ask the input for a NaN, not the gradient.",
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
    "The rule of `tf.linalg.eigh` divides by differences of eigenvalues, and where one is 0 it takes 0 for the quotient.",
    "What the eigenvectors should pass on is lost; that of `tf.linalg.svd` does the same.",
    "Use an operation that needs no eigenvectors; with them, look at the gaps.",
    "Wrong on purpose: through eigenvectors, where two eigenvalues are equal.",
    "A matrix function without eigenvectors, and a guard for those with.",
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
    "The tape means the conjugate of the derivative, and the rule of `tf.linalg.det` forgets it.",
    "At a real matrix there is nothing to forget.",
    "A rule of your own, with the conjugate.",
    "Wrong on purpose: the determinant of a complex matrix.",
    "A rule for the complex determinant, with its conjugate.",
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
    found = mode.gradient(
        lambda x: tf.linalg.det(tf.stack([[x, 3.0], [1.0, 2.0]])), np.real(z).item()
    )
    assert same(found, 2.0, 1e-5)


@says(
    "Rounding leaves a last pivot that is small instead of 0, and nothing raises.",
    "Where it is 0, `tf.linalg.inv` raises.",
    "Assert that the inverse is one.",
    "Wrong on purpose: the inverse of a matrix that has none.",
    "A guard: the inverse times the matrix is the identity.",
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


@says(
    "The norm is a root, whose slope at 0 is infinite, times the slope of a square, which is 0 there: NaN.",
    "One row of zeros is enough to spoil a weight that all rows share.",
    "Take the root where it has a slope.",
    "Wrong on purpose: one row of zeros among the norms of many.",
    "A norm that says 0 at 0: the root is taken where it has a slope.",
)
@over(
    mode=[EAGER, INSIDE, AROUND, XLA],
    norm={"TensorFlow's": lambda x: tf.norm(x, axis=1), "own": None},
)
def test_norm(mode, norm):
    is_nan, norm = norm is not None, norm or program("norm.py").norm
    assert same(mode.gradient(tf.sqrt, 0.0), np.inf)
    assert same(mode.gradient(tf.square, 0.0), 0.0)
    x = tf.constant([[3.0, 4.0], [0.0, 0.0]])
    found = mode.gradient(norm, x).numpy()
    assert same(found[0], [0.6, 0.8], 1e-6)
    assert np.isnan(found[1]).all() if is_nan else same(found[1], [0.0, 0.0])
    assert np.isnan(mode.gradient(lambda w: norm(x * w), 1.0)) == is_nan


# What is drawn, written, mixed and unwrapped.


@says(
    "`tape.batch_jacobian` differentiates sums over the batch.",
    "That is right where no example sees another, and a mean over the batch sees them all.",
    "`tape.jacobian`, which has the mixed parts as well.",
    "Wrong on purpose: batch_jacobian of a function that mixes the examples.",
    "tape.jacobian knows of the other examples; their part is not 0 here.",
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
