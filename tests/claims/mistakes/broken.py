"""The claims of docs/mistakes/broken.md."""

import functools

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.harness import (
    COMMON,
    EAGER,
    INSIDE,
    NESTED,
    OUTSIDE,
    PERSISTENT,
    XLA,
    XLA_OUTSIDE,
    contrast,
    message,
    raised,
    same,
)

math, linalg = tf.math, tf.linalg
COMPILED = [XLA, XLA_OUTSIDE]
PLAIN = [EAGER, INSIDE, OUTSIDE, NESTED]
WRAPS = {"eager": lambda function: function, "tf.function": tf.function}
WRAP = pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)


def first_step(name, gradient, wrap=lambda function: function, start=0.0):
    """The first step of an optimizer with the learning rate 0.1."""
    z = tf.Variable(tf.fill(tf.shape(gradient), tf.cast(start, gradient.dtype)))
    optimizer = getattr(keras.optimizers, name)(0.1)
    optimizer.build([z])
    wrap(lambda gradient: optimizer.apply_gradients([(gradient, z)]))(gradient)
    return z.numpy() - np.asarray(start, z.dtype.as_numpy_dtype)


SQUARING = ["Adadelta", "Adagrad", "Adam", "AdamW"]
SQUARING += ["Muon", "Nadam", "RMSprop", "ScheduleFreeAdamW"]
TURNS = np.exp(1j * np.arange(0, 2 * np.pi, np.pi / 36))


@WRAP
def test_real_axis(wrap):
    directions = np.tile(TURNS, 3)
    moduli = np.repeat([10, 1e3, 1_000_000], len(TURNS))
    gradient = tf.constant(moduli * directions, tf.complex64)
    for name in SQUARING:
        steps = first_step(name, gradient, wrap)
        assert np.all(abs(steps.imag) < 1e-3 * abs(steps.real))
        with contrast("in the opposite direction of the gradient"):
            assert np.max(abs(steps / abs(steps) + directions)) > 1
        if wrap is not tf.function:
            assert same(first_step(name, gradient[5]), steps[5], 1e-4)
    for name in ("SGD", "Lion"):
        steps = first_step(name, gradient, wrap)
        assert np.allclose(steps / abs(steps), -directions, atol=1e-5)
    with contrast("from any start: the weight decay of AdamW and Muon turns the step"):
        for name in ("AdamW", "Muon"):
            steps = first_step(name, gradient, wrap, start=100j)
            assert np.max(abs(steps.imag) / abs(steps.real)) > 0.1
    with contrast("between 1 and 10, too"):
        short = first_step("Adagrad", tf.constant(TURNS, tf.complex64))
        assert np.max(abs(short.imag) / abs(short)) > 0.01


@WRAP
def test_complex128(wrap):
    gradient = tf.constant([3 + 4j], tf.complex128)
    for name in ("Adam", "AdamW", "Muon", "Nadam"):
        assert "complex64" in message(first_step, name, gradient, wrap)
        assert raised(first_step, name, tf.cast(gradient, tf.complex64), wrap) is None
    with contrast("every optimizer"):
        for name in ("SGD", "Lion", "RMSprop", "Adagrad"):
            assert raised(first_step, name, gradient, wrap) is None


def of_matrix(alpha, beta):
    """The smallest eigenvalue, by the fix of the page."""
    sides = linalg.diag(beta, k=1) + linalg.diag(beta, k=-1)
    return linalg.eigvalsh(linalg.diag(alpha) + sides)[..., 0]


def of_diagonals(alpha, beta):
    """The same eigenvalue, by the function with the bug."""
    return linalg.eigh_tridiagonal(alpha, beta)[0]


@pytest.mark.parametrize("place", PLAIN, ids=str)
def test_wrong_eigenvalues(place):
    rng = np.random.default_rng(1)
    alpha, beta = (tf.constant(rng.uniform(0.2, 1.0, size)) for size in (4, 3))
    gradients = place.gradients(of_diagonals, alpha, beta)
    right = place.gradients(of_matrix, alpha, beta)
    for gradient, exact in zip(gradients, right):
        assert not same(gradient, exact, 0.1)
    with contrast("of tf.linalg.eigvalsh, too"):
        h = 1e-6 * rng.normal(size=4)
        change = of_matrix(alpha + h, beta) - of_matrix(alpha - h, beta)
        assert same(2 * np.sum(right[0] * h), change, 1e-4)
    with contrast("the eigenvalues are wrong, too"):
        assert same(of_diagonals(alpha, beta), of_matrix(alpha, beta), 1e-9)


@pytest.mark.parametrize("place", [EAGER, PERSISTENT, NESTED, OUTSIDE], ids=str)
@pytest.mark.parametrize("shape", [(3,), (2, 3)], ids=str)
def test_scalar_beta(place, shape):
    x = tf.constant(np.random.default_rng(0).normal(size=(2, 3)))
    beta = tf.constant(np.random.default_rng(1).normal(size=shape))

    def silu(beta):
        return tf.nn.silu(x, beta)

    right = place.gradient(lambda beta: x * tf.sigmoid(beta * x), beta)
    assert right.shape == shape
    if place in (EAGER, PERSISTENT):
        gradient = place.gradient(silu, beta)
        assert gradient.shape == () and same(gradient, tf.reduce_sum(right), 1e-9)
    else:
        with contrast("in every mode"):
            assert "Incompatible shapes" in message(place.gradient, silu, beta)
    with contrast("also for a beta that is a scalar"):
        scalar = place.gradient(silu, tf.constant(0.5, tf.float64))
        by_formula = place.gradient(
            lambda beta: x * tf.sigmoid(beta * x), tf.constant(0.5, tf.float64)
        )
        assert same(scalar, by_formula, 1e-9)


LEFT_OUT = {
    "zeta": (math.zeta, (2.5, 1.5), (0,)),
    "betainc": (math.betainc, (0.7, 0.8, 0.4), (0, 1)),
}


@pytest.mark.parametrize("place", [EAGER, PERSISTENT], ids=str)
@pytest.mark.parametrize("function, point, missing", LEFT_OUT.values(), ids=LEFT_OUT)
def test_none_for_arguments(place, function, point, missing):
    at = [tf.constant([value], tf.float64) for value in point]
    for i, value in enumerate(at):

        def only(z, i=i):
            return function(*at[:i], z, *at[i + 1 :])

        h = 1e-6
        change = (only(value + h) - only(value - h)) / (2 * h)
        assert abs(change[0]) > 0.1
        in_sum = place.gradient(lambda z, only=only: z + only(z), value)
        if i in missing:
            assert place.gradient(only, value) is None and same(in_sum, [1.0])
        else:
            with contrast("with respect to every argument"):
                assert same(in_sum, 1.0 + change, 1e-6)


@pytest.mark.parametrize(
    "place, dtype",
    [
        *((EAGER, dtype) for dtype in (tf.float32, tf.float64)),
        (PERSISTENT, tf.float32),
        (OUTSIDE, tf.float32),
    ],
    ids=str,
)
def test_unchanged_upstream(place, dtype):
    rng = np.random.default_rng(0)
    upstream = tf.constant(rng.normal(size=5), dtype)
    vector = tf.constant([0.3, 0.7, 0.4, 0.9, 0.1], dtype)

    def loss(x):
        return tf.reduce_sum(
            tf.nn.isotonic_regression(x)[0] * tf.reshape(upstream, x.shape)
        )

    def fixed(x):
        rows = tf.reshape(x, [-1, x.shape[-1]])
        return tf.reshape(tf.nn.isotonic_regression(rows)[0], x.shape)

    if place is not OUTSIDE:
        assert same(place.gradient(loss, vector), upstream[:, None])
    else:
        with contrast("in every mode"):
            assert "Incompatible shapes" in message(place.gradient, loss, vector)
    # Numbers that the regression replaces by one mean share the mean of their gradients.
    values = tf.nn.isotonic_regression(vector[None])[0][0]
    pools = [np.isclose(values, value) for value in values]
    right = [tf.reduce_mean(tf.boolean_mask(upstream, pool)) for pool in pools]
    matrix = tf.stack([vector, vector[::-1]])
    rows = tf.stack([upstream, upstream])
    gradient = place.gradient(
        lambda x: tf.reduce_sum(tf.nn.isotonic_regression(x)[0] * rows), matrix
    )
    assert gradient.shape == (2, 5) and same(gradient[0], right, 1e-5)
    with contrast("also after tf.reshape(x, [-1, x.shape[-1]])"):
        gradient = place.gradient(lambda x: fixed(x) * upstream, vector)
        assert same(gradient, right, 1e-5)
        batch = tf.reshape(matrix, [1, 2, 5])
        gradient = place.gradient(lambda x: fixed(x) * rows, batch)
        assert gradient.shape == (1, 2, 5) and same(gradient[0, 0], right, 1e-5)


SWITCH = {"sqrt": tf.sqrt, "rsqrt": math.rsqrt, "reciprocal": math.reciprocal}
FORMULAS = {
    "sqrt": lambda z: z**0.5,
    "rsqrt": lambda z: 1 / z**0.5,
    "reciprocal": lambda z: 1 / z,
}


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_xla_no_conjugate(place):
    upstream, negative = 0.6 - 0.8j, -2 + 0j
    z = [1 + 2j, -0.3 + 0.7j] + [negative] * (place in COMPILED)
    z = tf.constant(z, tf.complex128)

    def loss(function, z):
        return math.real(tf.reduce_sum(upstream.conjugate() * function(z)))

    def by_function(*zs):
        return [loss(function, z) for function, z in zip(SWITCH.values(), zs)]

    def by_formula(*zs):
        return [loss(function, z) for function, z in zip(FORMULAS.values(), zs)]

    h = 1e-6
    slopes = [(f(z + h) - f(z - h)).numpy() / (2 * h) for f in SWITCH.values()]
    right = [upstream * np.conj(slope) for slope in slopes]
    wrong = [upstream * slope for slope in slopes]
    assert same(place.gradients(by_formula, z, z, z), right, 1e-6)
    gradients = place.gradients(by_function, z, z, z)
    if place in COMPILED:
        assert same(gradients, wrong, 1e-6)
        narrow = [tf.cast(z, tf.complex64)] * 3
        assert same(place.gradients(by_function, *narrow), wrong, 1e-5)
        assert same(place.gradients(by_formula, *narrow), right, 1e-5)
    else:
        with contrast("without XLA, too"):
            assert same(gradients, right, 1e-6)
    if place in (INSIDE, NESTED):
        with contrast("that of `z ** 0.5` without XLA, too, for each number"):
            z = tf.constant([negative])
            exact = EAGER.gradient(lambda z: loss(tf.sqrt, z), z)
            for_sqrt = place.gradient(lambda z: loss(tf.sqrt, z), z)
            for_power = place.gradient(lambda z: loss(FORMULAS["sqrt"], z), z)
            assert same(for_sqrt, exact, 1e-6) and same(for_power, -exact, 1e-6)
    with contrast("the conjugate of the right gradient"):
        assert not same(gradients, [np.conj(exact) for exact in right], 0.1)


AT_ZERO = {
    "xlogy": lambda x: math.xlogy(x, tf.cast(2, x.dtype)),
    "xlog1py": lambda x: math.xlog1py(x, tf.cast(2, x.dtype)),
    "xdivy": lambda x: math.xdivy(x, tf.cast(2, x.dtype)),
    "cumprod": lambda x: tf.reduce_sum(math.cumprod(tf.stack([2 + 0 * x, x]))),
}


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_zero_instead(place):
    def total(x):
        return tf.add_n([tf.reduce_sum(function(x)) for function in AT_ZERO.values()])

    dtypes = {tf.float32, *place.dtypes} - {tf.bfloat16}
    points = [tf.constant([0.0, 0.5], dtype) for dtype in dtypes]
    slopes = [np.log(2), np.log(3), 1 / 2, 2]
    for gradient in place.each(total, points):
        assert gradient[0] == 0 and same(gradient[1], np.float32(sum(slopes)), 1e-2)
    if place is EAGER:
        for function, slope in zip(AT_ZERO.values(), slopes):
            with contrast("because the function is constant at 0"):
                assert EAGER.gradient(function, 0.0) == 0
                assert same(
                    function(tf.constant(1e-3)) - function(tf.constant(0.0)),
                    slope * 1e-3,
                    1e-2,
                )
        with contrast("of tf.reduce_prod and tf.math.multiply_no_nan as well"):
            for product in (
                lambda x: math.reduce_prod(tf.stack([2.0, x])),
                lambda x: math.multiply_no_nan(2.0, x),
            ):
                assert EAGER.gradient(product, 0.0) == 2


@functools.cache
def hessian_of(product, wrap):
    """A function that computes a Hessian, row by row, by two tapes."""

    def hessian(x):
        with tf.GradientTape(persistent=True) as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = product(x)
            rows = tf.unstack(inner.gradient(y, x))
        return [outer.gradient(row, x, unconnected_gradients="zero") for row in rows]

    return wrap(hessian)


def segment(x):
    """The product of all elements, as the only segment."""
    return math.unsorted_segment_prod(x, tf.zeros_like(x, tf.int32), 1)[0]


def written_out(x):
    """The product of all elements, with stars."""
    return functools.reduce(lambda a, b: a * b, tf.unstack(x))


@pytest.mark.parametrize(
    "wrap",
    [lambda function: function, tf.function, tf.function(jit_compile=True)],
    ids=["eager", "tf.function", "XLA"],
)
@pytest.mark.parametrize("x", [[0.0, 2.0], [3.0, 0.0, 2.0]], ids=str)
def test_hessian_of_product(wrap, x):
    zero = x.index(0)
    x = tf.constant(x, tf.float64)
    right = np.array(hessian_of(written_out, wrap)(x))
    others = np.arange(len(x)) != zero
    assert same(right, right.T) and np.all(right[zero, others] > 1 - 1e-9)
    hessian = np.array(hessian_of(math.reduce_prod, wrap)(x))
    assert same(hessian[zero], right[zero], 1e-9) and not hessian[:, zero].any()
    with contrast("its column for this factor is right, and its row is 0"):
        assert hessian[zero].any() and right[:, zero].any()
    assert np.isnan(np.array(hessian_of(segment, wrap)(x))).all()
    with contrast("also of a product that is written with *, which is symmetric"):
        assert not same(hessian, right, 0.1)
    with contrast("if no factor is 0, too"):
        away = x + 1
        exact = np.array(hessian_of(written_out, wrap)(away))
        assert same(np.array(hessian_of(math.reduce_prod, wrap)(away)), exact, 1e-9)
        assert same(np.array(hessian_of(segment, wrap)(away)), exact, 1e-9)


@pytest.mark.parametrize("place", PLAIN + COMPILED, ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("low, high", [(-1.0, 1.0), (0.5, 3.0)])
def test_ignores_bounds(place, dtype, low, high):
    low, high = tf.constant(low, dtype), tf.constant(high, dtype)

    def drawn(mean, low, high):
        return tf.random.stateless_parameterized_truncated_normal(
            [1000], [1, 2], mean, tf.ones([], dtype), low, high
        )

    upstream = tf.random.stateless_uniform([1000], [3, 4], 0.0, 0.002, dtype)

    def loss(mean):
        return tf.reduce_sum(upstream * drawn(mean, low, high))

    mean = tf.constant(0.7, dtype)
    total = tf.reduce_sum(upstream)
    assert same(place.gradient(loss, mean), total, 1e-5)
    with contrast("the derivative of the sample, which is smaller"):
        change = (loss(mean + 0.05) - loss(mean - 0.05)) / 0.1
        assert change < 0.9 * total
    with contrast("also with respect to a bound"):
        of_low = place.gradient(lambda x: tf.reduce_mean(drawn(mean, x, high)), low)
        assert not same(of_low, 1.0, 0.01) and not same(of_low, 0.0, 0.01)


@pytest.mark.parametrize("place", PLAIN + COMPILED, ids=str)
@pytest.mark.parametrize("shape, axes", [([5], [0]), ([2, 3, 4], [0, 2])])
def test_constant_mean(place, shape, axes):
    x = tf.random.stateless_normal(shape, [1, 2], dtype=tf.float64)

    def by_moments(x):
        return tf.reduce_sum(tf.nn.moments(x, axes)[1] ** 2)

    def constant_mean(x):
        mean = tf.stop_gradient(tf.reduce_mean(x, axes, keepdims=True))
        return tf.reduce_sum(tf.reduce_mean((x - mean) ** 2, axes) ** 2)

    def right(x):
        return tf.reduce_sum(tf.math.reduce_variance(x, axes) ** 2)

    assert same(place.gradient(by_moments, x), place.gradient(right, x), 1e-9)
    second = place.derivative(by_moments, x)
    assert same(second, place.derivative(constant_mean, x), 1e-9)
    with contrast("right, as that of tf.math.reduce_variance"):
        assert not same(second, place.derivative(right, x), 0.01)


@pytest.mark.parametrize("place", PLAIN + COMPILED, ids=str)
def test_resize_left_out(place):
    image = tf.random.stateless_normal([2, 3, 4, 2], [1, 2])

    def of_resize(image):
        return tf.reduce_sum(tf.image.resize(image, [5, 6]) ** 2)

    def loss(image):
        return of_resize(image) + tf.reduce_sum(image**3)

    assert same(place.derivative(loss, image), 6 * image, 1e-4)
    with contrast("from the first derivative, too"):
        change = of_resize(1.01 * image) - of_resize(0.99 * image)
        first = tf.reduce_sum(image * place.gradient(of_resize, image))
        assert same(first, change / 0.02, 1e-3)
    if place is EAGER:
        with contrast("because this part has no second derivative"):
            gradient = EAGER.gradient(of_resize, image)
            moved = EAGER.gradient(of_resize, image + 1)
            assert np.min(abs(moved - gradient)) > 0.1


@pytest.mark.parametrize(
    "dtype", [tf.float16, tf.bfloat16, tf.float32, tf.float64], ids=lambda d: d.name
)
def test_nan_ignored(dtype):
    def compiled(function, *inputs):
        run = tf.function(function, jit_compile=True, autograph=False)
        return np.asarray(run(*inputs), float)

    rows = np.array([[1, 2, np.nan], [np.nan, 1, 2], [2, np.nan, 1]])
    x, ones = tf.constant(rows, dtype), tf.ones([3, 3], dtype)
    for function, extreme in (tf.reduce_max, 2), (tf.reduce_min, 1):
        of_rows = functools.partial(function, axis=-1)
        assert same(compiled(of_rows, x), [extreme] * 3)
        assert same(compiled(of_rows, tf.transpose(x)), [extreme] * 3)
        with contrast("also of one entry, which is NaN"):
            assert np.isnan(compiled(of_rows, x[:, 2:])[0])
        with contrast("eagerly, too"):
            assert np.isnan(np.asarray(of_rows(x), float)).all()
        if dtype is tf.float32:
            with contrast("of any number of entries"):
                many = tf.concat([tf.ones([32767]), [np.nan]], 0)
                assert np.isinf(compiled(function, many))
    is_nan = np.isnan(rows)
    assert same(compiled(tf.maximum, ones, x), np.fmax(rows, 1.0))  # ignores NaN
    assert same(np.isnan(compiled(tf.maximum, x, ones)), is_nan)
    assert same(np.isnan(compiled(tf.nn.relu, x)), is_nan)
    with contrast("tf.maximum eagerly, too"):
        assert same(np.isnan(np.asarray(tf.maximum(ones, x), float)), is_nan)
    with contrast("tf.maximum of a constant, such as 0.5, and y, too"):
        of_constant = compiled(lambda y: tf.maximum(tf.cast(0.5, y.dtype), y), x)
        assert same(np.isnan(of_constant), is_nan)


POOLS = {
    "1d": (tf.nn.max_pool1d, [3, 8, 2], [2]),
    "overlapping": (tf.nn.max_pool1d, [3, 8, 2], [3]),
    "2d": (tf.nn.max_pool2d, [3, 4, 4, 2], [2, 2]),
    "3d": (tf.nn.max_pool3d, [3, 4, 2, 4, 2], [2, 2, 2]),
}


@pytest.mark.parametrize(("pool", "shape", "size"), POOLS.values(), ids=POOLS)
def test_pool_second(pool, shape, size):
    rng = np.random.default_rng(0)
    indices = tf.reshape(tf.range(np.prod(shape), dtype=tf.float32), shape)

    def picked(x, v):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = pool(x, size, 2, "VALID")
            upstream = tf.zeros_like(y)
            outer.watch(upstream)
            gradient = inner.gradient(y, x, upstream)
        return outer.gradient(gradient, upstream, v)

    compiled = tf.function(picked, jit_compile=True, autograph=False)
    for scale in 0.002, 0.02, -0.002:
        x = tf.constant(np.sign(scale) + scale * rng.random(shape), tf.float32)
        rounded = tf.cast(tf.cast(x, tf.bfloat16), tf.float32)
        # Later entries are a little less, so that the first of equal ones is largest.
        first = picked(rounded - 1e-6 * indices, indices)
        assert same(compiled(x, indices), first)
        with contrast("eagerly, too"):
            assert not same(picked(x, indices), first)
    for dtype in tf.float16, tf.bfloat16, tf.float64:
        error = message(compiled, tf.cast(x, dtype), tf.cast(indices, dtype))
        assert "GradGrad" in error or "list of allowed values" in error  # pool3d


@pytest.mark.parametrize("place", [*PLAIN, XLA], ids=str)
def test_zero_for_equal(place):
    def entry(vectors):
        return vectors[..., 0, 0] * vectors[..., 1, 0] + vectors[..., 1, 1]

    def vectors_of(a):
        a = tf.reshape(a, [2, 2, 2])  # whose shape XLA must know
        return entry(linalg.eigh(a)[1]), entry(linalg.svd(a)[1])

    def loss(a):
        return tf.add_n([tf.reduce_sum(part) for part in vectors_of(a)])

    equal = tf.constant(np.stack([np.eye(2), 3 * np.eye(2)]))
    assert not np.any(place.gradient(loss, equal))
    with contrast("also of eigenvalues that differ"):
        apart = tf.constant(np.stack([np.diag([1.0, 1.5]), np.diag([2.0, 5.0])]))
        assert np.all(np.any(place.gradient(loss, apart), axis=(1, 2)))
    if place is EAGER:
        with contrast("of the eigenvalues, too"):
            values = EAGER.gradient(lambda a: linalg.eigvalsh(a)[..., 0], equal)
            assert np.any(values)
        with contrast("of an orthogonal matrix, too"):
            v = np.float32([[1], [2], [3]])
            mirror = tf.constant(np.eye(3, dtype="float32") - v @ v.T / 7)
            slopes = EAGER.gradient(lambda a: entry(linalg.svd(a)[1]), mirror)
            assert np.max(np.abs(slopes)) > 1e3
