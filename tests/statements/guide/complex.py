"""What the page on complex numbers says in words."""

import contextlib
import functools
import io
import logging
from pathlib import Path
from traceback import walk_tb
from unittest import mock

import keras
from tensorflow.python.ops import math_ops

from truth.statements.tries import *

math, linalg = tf.math, tf.linalg
TWO = [EAGER, AROUND]
THREE = [*TWO, INSIDE]
FOUR = [*THREE, XLA]
TURNS = [1, 0.6 - 0.8j]
H = 1e-6


@st.composite
def points(draw, low=0.1, high=3.0):
    """Complex numbers away from 0 and from the negative real axis."""
    modulus = draw(st.floats(low, high))
    return complex(modulus * np.exp(1j * draw(st.floats(-3, 3))))


def tensor(*values):
    values = values[0] if len(values) == 1 else [*values]
    return tf.constant(values, tf.complex128)


def along(loss, z):
    """Differences along 1 and along i, in the page's convention."""
    ahead, turned = (
        (loss(z + H * unit) - loss(z - H * unit)).numpy() / (2 * H) for unit in (1, 1j)
    )
    return complex(ahead + 1j * turned)


def near_to(found, exact, within=1e-5):
    return abs(found - exact) <= within * max(1.0, abs(exact))


@functools.cache
def against(upstream, function):
    """A real loss with the upstream gradient of one output."""

    def loss(z):
        return math.real(
            np.conj(upstream) * tf.reduce_sum(tf.cast(function(z), z.dtype))
        )

    return loss


def solved(z):
    return linalg.solve(matrix(z), matrix(z)[:, :1] + 1)


def matrix(z):
    return z * tf.eye(2, dtype=z.dtype) + [[0, 1], [2j, 1]]


HOLOMORPHIC = {
    "z²": (tf.square, lambda z: 2 * z),
    "exp z": (tf.exp, np.exp),
    "1/z": (lambda z: 1 / z, lambda z: -1 / z**2),
    "sin z": (tf.sin, np.cos),
    "log z": (math.log, lambda z: 1 / z),
    "√z": (lambda z: z**0.5, lambda z: 0.5 / np.sqrt(z)),
    "z³": (lambda z: z * z * z, lambda z: 3 * z**2),
}
NOT_HOLOMORPHIC = {
    "|z|": tf.abs,
    "|z|²": lambda z: tf.abs(z) ** 2,
    "Re z": math.real,
    "Im z": math.imag,
    "arg z": math.angle,
    "z²z*": lambda z: z * z * math.conj(z),
    "z / |z|": lambda z: z / tf.cast(tf.abs(z), z.dtype),
}
W = tf.constant([3 - 1j, 1 + 1j], tf.complex128)


def vector(z):
    return tf.stack([z, z * z])


FORGET = {
    "det": lambda z: linalg.det(matrix(z)),
    "sqrtm": lambda z: linalg.sqrtm(matrix(z)),
    "tridiagonal_solve": lambda z: linalg.tridiagonal_solve(
        (W, vector(z), W), W, "sequence"
    ),
    "cumprod": lambda z: math.cumprod(vector(z)),
    "segment_prod": lambda z: math.segment_prod(vector(z), [0, 0]),
    "unsorted_segment_prod": lambda z: math.unsorted_segment_prod(vector(z), [0, 0], 1),
    "multiply_no_nan": lambda z: math.multiply_no_nan(vector(z), W),
    "xdivy": lambda z: math.xdivy(vector(z), W),
    "xlogy": lambda z: math.xlogy(vector(z), W),
    "xlog1py": lambda z: math.xlog1py(vector(z), W),
}
COUNT = {
    "slogdet": lambda z: linalg.slogdet(matrix(z))[1],
    "squared_difference": lambda z: math.squared_difference(vector(z), W),
    "reduce_euclidean_norm": lambda z: math.reduce_euclidean_norm(vector(z)),
}
REAL_PARTS = {
    name: against(1, function)
    for name, function in {
        "sqrt": tf.sqrt,
        "rsqrt": math.rsqrt,
        "reciprocal": math.reciprocal,
        "z ** 0.5": lambda z: z**0.5,
        "1 / z": lambda z: 1 / z,
    }.items()
}
product = program("complex.py").product
abs2 = program("complex.py").abs2


@says(
    "For example, it …",
)
@over(mode=TAPES)
def test_the_tape_on_a_square(mode):
    found = mode.gradient(tf.square, 1 + 2j)
    assert found == 2 - 4j == np.conj(2 * (1 + 2j))
    assert near_to(found, along(lambda z: math.real(z * z), tensor(1 + 2j)))


@says(
    "Adam divides by …",
    "The first step is …",
    "The square of this …",
    "(A very small …",
    "Therefore the first …",
    "Train two real …",
    was="'whatever the gradient is': for 1e-20(1 + i) it goes along i",
)
@over(gradient=points(0.1, 1e10))
def test_adams_first_step(gradient):
    def step(gradient):
        z = tf.Variable(1, dtype=tf.complex64)
        gradient = tf.constant(gradient, z.dtype)
        keras.optimizers.Adam(0.1).apply_gradients([(gradient, z)])
        return z.numpy() - 1

    assert near_to(abs(step(gradient).real), 0.1, 1e-4)
    assert abs(step(gradient).imag) < 1e-4
    assert near_to((gradient / np.sqrt(gradient**2)) ** 2, 1)
    assert round((gradient / np.sqrt(gradient**2)).real) in (1, -1)
    short = step(1e-15 * (1 + 1j))
    assert abs(short.imag) > abs(short.real)
    a, b = tf.Variable(1.0), tf.Variable(0.0)
    turned = gradient / abs(gradient)
    with tf.GradientTape() as tape:
        L = math.real(np.conj(turned) * tf.cast(tf.complex(a, b), tf.complex128))
    keras.optimizers.Adam(0.1).apply_gradients(zip(tape.gradient(L, [a, b]), [a, b]))
    two = complex(tf.complex(a, b)) - 1
    assert abs(two.imag) > 0.09 or abs(turned.imag) < 1e-4
    assert (np.conj(turned) * two).real < 0


@says(
    "The gradient of a real …",
    "A complex number …",
    "So a real …",
    "TensorFlow stores these …",
    "With this convention, …",
    "What tape.gradient returns: …",
)
@over(
    mode=[AROUND, XLA],
    name=HOLOMORPHIC | NOT_HOLOMORPHIC,
    turn=[0.6 - 0.8j],
    z=points(),
    cases=28,
)
def test_the_convention(mode, name, z, turn):
    function = name[0] if isinstance(name, tuple) else name
    loss = against(turn, function)
    found = complex(mode.gradient(loss, tensor(z)))
    by_a, by_b = EAGER.gradients(
        lambda a, b: loss(tf.complex(a, b)), np.float64(z.real), np.float64(z.imag)
    )
    assert near_to(found, complex(by_a, by_b), 1e-9)
    assert near_to(found, along(loss, tensor(z)))
    change = 0.3 - 0.8j
    assert near_to(
        (np.conj(found) * change).real, float(by_a) * 0.3 - float(by_b) * 0.8
    )


@says(
    "This formula states …",
    "Without the star, …",
)
@over(slope=points(), change=points())
def test_without_the_star(slope, change):
    a, b = slope.real * change.real, slope.imag * change.imag
    assert near_to((np.conj(slope) * change).real, a + b)
    assert near_to((slope * change).real, a - b)


@says(
    "The next program checks …",
    "Compare the line `tape.gradient` …",
    "The partial derivatives, …",
    "The program also tries …",
    was="'A run shows that tape.gradient returns just this number': the built-in det gives -5 for 3-4i",
)
def test_parts():
    *three, steepest = trace("parts.py")
    pair, tape, differences = three
    assert len(three) == 3
    assert pair.numbers[-2:] == differences.numbers[-2:] == [2.740148, -1.485249]
    assert "2.740148-1.485249j" in tape.text
    assert steepest.text.count("0.88-0.48j") == 2 and steepest.numbers[0] == 720


def of_others(z):
    return math.real(tf.exp(z) * math.conj(z))


@says(
    "Some operations of …",
    "Some of TensorFlow's operations, …",
    "`tf.linalg.tridiagonal_solve` isn't on …",
)
@over(mode=TWO, function=FORGET, turn=TURNS)
def test_some_forget(mode, function, turn):
    z, loss = tensor(1 + 2j), against(turn, function)
    assert not near_to(mode.gradient(loss, z), along(loss, z), 0.1)
    assert near_to(mode.gradient(of_others, z), along(of_others, z))
    snippets = Path(__file__).parents[3] / "snippets"
    listed = (snippets / "mistakes/broken/complex_rules.out").read_text("utf-8")
    assert "det" in listed and "tridiagonal_solve" not in listed


REAL = {
    "det": (linalg.det, 2),
    "sqrtm": (lambda x: linalg.sqrtm(x @ linalg.adjoint(x)), 2),
    "tridiagonal_solve": (
        lambda x: linalg.tridiagonal_solve((x / 9, x, x / 9), x, "sequence"),
        1,
    ),
    "cumprod": (math.cumprod, 1),
    "segment_prod": (lambda x: math.segment_prod(x, [0, 0, 0]), 1),
    "unsorted_segment_prod": (
        lambda x: math.unsorted_segment_prod(x, [0, 0, 0], 1),
        1,
    ),
    "multiply_no_nan": (lambda x: math.multiply_no_nan(x, 2 * x), 1),
    "xdivy": (lambda x: math.xdivy(x, 1 + x), 1),
    "xlogy": (lambda x: math.xlogy(x, 1 + x), 1),
    "xlog1py": (lambda x: math.xlog1py(x, 1 + x), 1),
}


@says("If all numbers …")
@over(name=REAL, x=st.lists(st.floats(0.5, 3), min_size=3, max_size=3))
def test_right_where_all_is_real(name, x):
    function, rank = name
    square = np.array([[0, 0.3, 0.1], [0.2, 0, 0.3], [0.1, 0.2, 0]]) + np.diag(x)
    x = np.array(x) if rank == 1 else square
    real = EAGER.gradient(function, x)
    assert same(EAGER.gradient(function, x.astype(complex)), real, 1e-6)
    assert [*REAL] == [*FORGET]


@says(
    "`tf.math.squared_difference`, `tf.math.reduce_euclidean_norm` and …",
    "So the imaginary …",
    "To fix this, …",
)
@over(mode=TWO, function=COUNT, z=points(0.5, 2))
def test_three_count_the_imaginary_part(mode, function, z):
    y = function(tensor(z))
    assert y.dtype == tf.complex128 and np.all(abs(np.imag(y)) < 1e-12)
    loss = against(1j, function)
    assert (
        abs(along(loss, tensor(z))) < 1e-6 < 1e-2 < abs(mode.gradient(loss, tensor(z)))
    )
    assert len(COUNT) == 3
    mended = lambda z: tf.reduce_sum(math.real(function(z)))  # noqa: E731
    assert near_to(mode.gradient(mended, tensor(z)), along(mended, tensor(z)), 1e-4)


def slope_of_a_product(z):
    with tf.GradientTape() as tape:
        tape.watch(z)
        L = math.real(math.reduce_prod(tf.stack([z, z, z])))
    return math.real(1j * tape.gradient(L, z))


@says(
    "The gradient of `tf.math.reduce_prod` …",
    "But its gradient …",
)
@over(mode=TWO, z=[1 + 2j, -1 + 1j], turn=TURNS)
def test_reduce_prod(mode, z, turn):
    loss = against(turn, lambda z: math.reduce_prod(vector(z)))
    with mock.patch.object(math_ops, "cumprod", wraps=tf.math.cumprod) as called:
        found = mode.gradient(loss, tensor(z))
    assert called.called and near_to(found, along(loss, tensor(z)), 1e-4)
    second = along(slope_of_a_product, tensor(z))
    assert near_to(second, 6j * np.conj(z), 1e-4)
    assert not near_to(mode.gradient(slope_of_a_product, tensor(z)), second, 0.1)


@says(
    "If no factor is …",
    "If an operation …",
    was="'You can replace': where a factor is 0, multiply_no_nan and xlogy return 0, the product NaN",
)
@over(mode=[EAGER, XLA], z=points(), w=points(), turn=TURNS)
def test_the_way_round(mode, z, w, turn):
    for function, instead in (
        (math.multiply_no_nan, lambda z, w: z * w),
        (math.xlogy, lambda z, w: z * math.log(w)),
    ):
        assert near_to(function(tensor(z), tensor(w)), instead(tensor(z), tensor(w)))
        loss = against(turn, lambda z: instead(z, tensor(w)))
        assert near_to(mode.gradient(loss, tensor(z)), along(loss, tensor(z)))
    zero, infinite = tensor(0), tensor(np.inf)
    assert math.multiply_no_nan(infinite, zero) == 0 and math.xlogy(zero, zero) == 0
    assert np.isnan(infinite * zero) and np.isnan(zero * math.log(zero))


@says(
    "Under XLA, `z ** 0.5` …",
)
@over(mode=FOUR, z=points(0.3, 3))
def test_compiled(mode, z):
    in_xla, conjugated = mode in (XLA, AROUND_XLA), []
    for name, loss in REAL_PARTS.items():
        right = along(loss, tensor(z))
        is_one = in_xla and name in ("sqrt", "rsqrt", "reciprocal")
        found = mode.gradient(loss, tensor(z))
        assert near_to(found, np.conj(right) if is_one else right), name
        conjugated += [name] if is_one else []
    assert not in_xla or len(conjugated) == 3


# The four steps.


@says(
    "After this page …",
    "For a function …",
    "For $y = z w$ …",
    "If your function …",
    "Test with complex …",
    "The inputs are …",
    "For tensors, the …",
    "The product rule …",
    "Multiply $\\d y$ by …",
    "The factor in …",
    "Step 4 moves …",
    "This is the …",
    "A complex product …",
)
@over(mode=TWO, shape=[(), (0,), (1, 2, 1, 2, 1)])
def test_the_rule_of_the_product(mode, shape):
    z, w, up = (
        tf.complex(tf.random.normal(shape), tf.random.normal(shape)) for _ in range(3)
    )
    loss = lambda y: tf.reduce_sum(math.real(math.conj(up) * y))  # noqa: E731
    found = mode.gradients(product, z, w, loss=loss)
    assert same(found, [up * math.conj(w), up * math.conj(z)], 1e-6)
    assert same(found, mode.gradients(tf.multiply, z, w, loss=loss), 1e-6)


@says(
    "If the output …",
    "If an input …",
    "The upstream gradient has …",
)
@over(mode=FOUR, loss={n: LOSSES[n] for n in ("ones", "zeros", "sparse")})
def test_dtypes(mode, loss):
    seen = []

    @tf.custom_gradient
    def modulus(z):
        def grad(upstream):
            seen.append(upstream.dtype)
            return tf.cast(tf.convert_to_tensor(upstream), z.dtype) * math.sign(z)

        return tf.abs(z), grad

    z = tf.constant([1 + 2j, 3j], tf.complex64)
    assert mode.gradient(modulus, z, loss).dtype == z.dtype and {*seen} == {tf.float32}
    back = mode.gradient(lambda x: tf.abs(tf.complex(x, x)), [1.0, 2.0], loss)
    assert back.dtype == tf.float32


@says(
    "If the target …",
    "Sums, products and …",
    "The tape starts …",
    "For a holomorphic …",
    "To get $f'(z)$, …",
    "A complex target: …",
    was="without 'if every rule …': det, cumprod, xlogy and ten others do not",
)
@over(
    mode=[EAGER, PERSISTENT, NESTED, XLA], name=HOLOMORPHIC, z=points(0.3, 2), cases=56
)
def test_a_complex_target(mode, name, z):
    function, slope = name
    found = complex(mode.gradient(function, tensor(z)))
    assert near_to(found, np.conj(slope(z)), 1e-9)
    assert near_to(found, EAGER.gradient(lambda z: math.real(function(z)), tensor(z)))
    ahead, turned = (
        complex(function(tensor(z + H * u)) - function(tensor(z - H * u))) / (2 * H * u)
        for u in (1, 1j)
    )
    assert near_to(ahead, turned) and near_to(ahead, slope(z))
    not_holomorphic = complex(mode.gradient(NOT_HOLOMORPHIC["z²z*"], tensor(z)))
    pair = EAGER.gradient(
        lambda z: math.imag(NOT_HOLOMORPHIC["z²z*"](z)), tensor(z)
    ).numpy()
    assert abs(pair - 1j * not_holomorphic) > 1e-2  # no derivative to conjugate


@says(
    "`tape.gradient` also accepts …",
)
@over(name=HOLOMORPHIC)
def test_tf_gradients_refuses(name):
    assert "Gradients of complex" in message(SYMBOLIC.gradient, name[0], tensor(1 + 2j))


@says(
    "Compare the line `y` …",
    "The function in …",
    "There, the gradients …",
)
def test_the_last_block():
    lines = [line.text.split() for line in trace("target.py")]
    blocks = [lines[at : at + 4] for at in range(0, 16, 4)]
    for head, *targets in blocks:
        y, real, imag = (complex(each[-1]) for each in targets)
        assert y == real and (abs(imag - 1j * real) < 1e-9) == (head[-1] != "exist")
        if head[-1] != "exist":
            assert complex(head[-1]) == y.conjugate()
    f = NOT_HOLOMORPHIC["z²z*"]
    z = tensor(1 + 2j)
    assert near_to(along(lambda z: math.real(f(z)), z), 7 + 4j)
    assert near_to(along(lambda z: math.imag(f(z)), z), 4 + 13j)


# Steps that use the conjugate.


@says(
    r"$|z|^2 = z \, z^*$ …",
    "The modulus has …",
    "The angle changes …",
    "The closer $z$ …",
    "The angle isn't …",
)
@over(mode=[EAGER, XLA], z=points())
def test_slopes_by_direction(mode, z):
    def slope(function, unit):
        ahead, behind = function(tensor(z + H * unit)), function(tensor(z - H * unit))
        return complex(ahead - behind) / (2 * H * unit)

    square = lambda z: tf.cast(tf.abs(z) ** 2, z.dtype)  # noqa: E731
    assert abs(slope(square, 1) - slope(square, 1j)) > 0.1
    assert abs(complex(square(tensor(1e-9)))) / 1e-9 < 1e-8
    by_modulus = complex(mode.gradient(tf.abs, tensor(z)))
    assert near_to(by_modulus, z / abs(z), 1e-9)
    by_angle = complex(mode.gradient(math.angle, tensor(z)))
    assert abs((by_angle / z).real) < 1e-9 and near_to(abs(by_angle), 1 / abs(z))
    assert math.angle(tensor(-1 + 1e-9j)) > 3.1 > -3.1 > math.angle(tensor(-1 - 1e-9j))


def cubed(z):
    return z**3 * math.conj(z)


@says(
    "For other functions, …",
    "For such a …",
    "The first of …",
    "The inner product …",
    "Then both terms …",
    "As in step 4 …",
    "A number and …",
    "Because $L$ is real, …",
    "So the two terms …",
    "Each of these gradients …",
    "If $y$ is real, …",
    "So the gradient of the squared …",
    "For the real part, …",
    "For the imaginary part, …",
    "The gradient function of the conjugate …",
)
@over(mode=[EAGER, XLA], z=points(), turn=TURNS)
def test_two_terms(mode, z, turn):
    star = np.conj(z)
    slopes = (  # by z with z* constant, by z* with z constant
        (cubed, 3 * z**2 * star, z**3),
        (NOT_HOLOMORPHIC["|z|²"], star, z),
        (math.real, 0.5, 0.5),
        (math.imag, -0.5j, 0.5j),
        (math.conj, 0, 1),
    )
    for function, by_z, by_star in slopes:
        is_real = not function(tensor(z)).dtype.is_complex
        up = turn.real if is_real else turn
        terms = up * np.conj(by_z), np.conj(up) * by_star
        found = complex(mode.gradient(against(up, function), tensor(z)))
        assert near_to(found, sum(terms), 1e-9) and len(terms) == 2
        assert not is_real or (near_to(*terms) and np.isclose(by_z, np.conj(by_star)))
    parts = lambda z: math.real(z) + 2 * math.imag(z)  # noqa: E731
    both = lambda z: parts(z) + math.real(np.conj(turn) * math.conj(z))  # noqa: E731
    found = complex(mode.gradient(both, tensor(z)))
    assert near_to(found, 1 + 2j + np.conj(turn))


@says(
    "At 0 it has …",
    "At 0, none …",
    "TensorFlow returns the gradient …",
    "The gradients of …",
    "The fix is the same …",
    was="'all others return infinities and NaN': the norm has NaN alone, XLA as well",
)
@over(mode=[AROUND, XLA], dtype=[tf.complex64, tf.complex128])
def test_at_zero(mode, dtype):
    five = {
        "abs": tf.abs,
        "arg": math.angle,
        "sqrt": tf.sqrt,
        "log": math.log,
        "norm": lambda z: tf.norm(z[None]),
    }
    zero = tf.constant(0, dtype)
    assert [*five] == list(
        dict.fromkeys(line.text.split()[0] for line in trace("points.py"))
    )
    for name, function in five.items():
        found = mode.gradient(against(1, function), zero)
        assert found == 0 if name == "abs" else np.isnan(found)
        slopes = [
            complex(function(tensor(h)) - function(tensor(0))) / h
            for h in (H, -H, H * 1j, -H * 1j)
        ]
        assert not np.ptp(np.abs(np.array(slopes) - slopes[0])) < 0.5
    is_zero = lambda z: tf.equal(z, 0)  # noqa: E731
    cured = lambda z: tf.where(  # noqa: E731
        is_zero(z), tf.zeros_like(z), math.log(tf.where(is_zero(z), tf.ones_like(z), z))
    )
    assert mode.gradient(against(1, cured), zero) == 0


@says(
    "For five functions, …",
    "Look for infinities, …",
    "`tf.math.angle`, `tf.math.log` and …",
    "Angle and logarithm …",
    "The signs of …",
    "Zero, and both …",
)
@over(mode=[EAGER, XLA], x=st.floats(-100, -0.1))
def test_the_negative_real_axis(mode, x):
    above, below = tensor(complex(x, 1e-8)), tensor(complex(x, -1e-8))
    assert len({line.text.split()[0] for line in trace("points.py")}) == 5
    for function, sign in ((math.angle, 1), (math.log, 1), (tf.sqrt, -1)):
        values = [complex(function(z)) for z in (above, below)]
        assert abs(values[0] - values[1]) > 0.1
        loss = lambda z: tf.reduce_sum(tf.cast(function(z), z.dtype))  # noqa: E731
        slopes = [complex(mode.gradient(loss, z)) for z in (above, below)]
        assert near_to(slopes[0], sign * slopes[1])
        assert sign == 1 or near_to(values[0], -values[1])


# An FFT.


@says(
    "The discrete Fourier …",
    "For a real matrix, …",
    "For a complex matrix, …",
    "Such a function …",
    "Because $F$ equals …",
    r"Multiplying by $F^{\mathrm{H}}$ …",
    "So the gradient function …",
    "The gradient function of the inverse …",
    "The gradient of an …",
)
@over(mode=[AROUND, XLA], n=[1, 5])
def test_the_fft(mode, n):
    rng = np.random.default_rng(n)
    z, up = rng.normal(size=(2, n, 2)) @ [1, 1j]
    F = np.exp(-2j * np.pi * np.outer(range(n), range(n)) / n)
    assert np.allclose(abs(F), 1) and np.allclose(tf.signal.fft(z), F @ z)
    assert np.array_equal(F, F.T) and np.allclose(F.conj().T @ F @ z, n * z)
    for function, rule in (
        (tf.signal.fft, n * tf.signal.ifft(up)),
        (tf.signal.ifft, tf.signal.fft(up) / n),
        (program("fft.py").fft, F.conj().T @ up),
    ):
        loss = lambda y: tf.reduce_sum(math.real(np.conj(up) * y))  # noqa: E731
        assert np.allclose(mode.gradient(function, z, loss=loss), rule)
    M = rng.normal(size=(n, n))
    slopes = mode.gradient(lambda x: tf.linalg.matvec(M, x), z.real, LOSSES["ones"])
    assert np.allclose(slopes, M.T @ np.ones(n))


@says(
    "The next program prints …",
    "Compare `downstream` with …",
    "The line `downstream` …",
    "The line `F^T` …",
    "In this line, …",
)
def test_the_transpose_alone():
    right, wrong = (trace("fft.py").line(word).text for word in ("F^H", "F^T"))
    right, wrong = (text[text.index("[") + 1 : -1].split() for text in (right, wrong))
    assert [right[at] for at in (0, 3, 2, 1)] == wrong != right


# The trace.


@says(
    "The program multiplies …",
    "Each of these two …",
    "The numbers follow …",
    "The gradient function of `abs2` …",
    "The line `local for z` …",
    "The gradient function of `product` …",
    "You can check …",
    "Because $|z w|^2 …",
)
def test_the_trace():
    z, w = 1 + 2j, 3 - 1j
    shown = {
        line.text.split('"')[0].strip(): line.text.split('"')[1]
        for line in trace("complex.py")[1:-1]
    }
    assert shown["y ="] == "(5,5)" and z * w == 5 + 5j
    assert (
        source("complex.py").count("@tf.custom_gradient") == len((product, abs2)) == 2
    )
    assert (10 + 10j) / (z * w) == 2
    assert shown["abs2:    upstream"] == "1" and shown["downstream"] == "(10,10)"
    assert shown["product: upstream"] == "(10,10)"
    assert shown["local for z"] == "(3,-1)" and np.conj(w) == 3 + 1j != w
    assert shown["downstream z"] == "(20,40)" and (10 + 10j) * (3 + 1j) == 20 + 40j
    assert np.isclose(2 * z * abs(w) ** 2, 20 + 40j) and np.isclose(abs(w) ** 2, 10)


@says(
    "The upstream gradient of `abs2` …",
    "The program casts …",
    "If the function maps complex …",
)
@over(mode=FOUR, dtype=[(tf.float32, tf.complex64), (tf.float64, tf.complex128)])
def test_no_product_of_float_and_complex(mode, dtype):
    real, paired = dtype

    def loss(x):
        return math.real(tf.complex(x, x) * x)

    assert raised(mode.gradient, loss, tf.constant(1.0, real)) is not None
    found = mode.gradient(abs2, tf.constant(1 + 2j, paired))
    assert found == 2 * (1 + 2j) and found.dtype == paired
    uncast = tf.custom_gradient(lambda z: (tf.abs(z) ** 2, lambda u: u * 2.0 * z))
    assert raised(mode.gradient, uncast, tf.constant(1 + 2j, paired)) is not None


@says(
    "`tf.print` prints a …",
    "tf.print writes a …",
)
@over(run=[lambda f: f, tf.function], dtype=[tf.complex64, tf.complex128])
def test_tf_print(run, dtype):
    shown = tf.strings.as_string(tf.constant(5 + 5j, dtype), shortest=True)
    assert shown.numpy() == b"(5,5)"
    formatted = run(lambda z: tf.strings.format("{}", z))(tf.constant(5 + 5j, dtype))
    assert formatted.numpy() == b"?"  # what tf.print makes its line with
    assert trace("complex.py")[0].text == "tf.print writes y = ?"


# Descent.


@says(
    "Let $g$ be …",
    "To first order, …",
)
@over(g=points(), other=points(1, 1), eta=st.floats(0.01, 10), cases=200)
def test_the_steepest(g, other, eta):
    length = eta * abs(g)
    change = (np.conj(g) * other * length).real
    assert change >= (np.conj(g) * -eta * g).real - 1e-9 * length
    assert np.isclose((np.conj(g) * -eta * g).real, -eta * abs(g) ** 2)


@says(
    "For gradient descent, …",
    "So `z.assign_sub(0.1 * gradient)` …",
)
@over(mode=[EAGER, INSIDE, AROUND], start=points(), target=points())
def test_descent(mode, start, target):
    z = tf.Variable(start, dtype=tf.complex128)
    loss = lambda z: tf.abs(z - target) ** 2  # noqa: E731
    for _ in range(60):
        z.assign_sub(0.1 * mode.gradient(loss, z.read_value()))
    assert loss(z) < 1e-9
    gradient = EAGER.gradient(loss, tensor(1 + 1j + target))
    turned = tensor(1 + 1j + target) - 0.1 * np.conj(gradient)
    assert loss(turned) > loss(tensor(1 + 1j + target)) * 0.99


@says(
    "The figure shows …",
    "The loss is …",
    "Contour lines of …",
    "The path of the gradient …",
    "The path of the conjugated …",
    "The first steps …",
    "But with the …",
    "A place in …",
)
def test_the_figure():
    text = source("figure.py")
    names: dict = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(text[: text.index("a, b = np.meshgrid")], names)
    down, away = names["paths"].values()
    assert [*names["stations"]] == [0, 4, 1 + 3j] and names["loss"](
        tensor(3 + 2j)
    ) < 1e-20
    assert down[0] == away[0] == 1.5 - 1j and near_to(down[-1], 3 + 2j, 1e-2)
    steps = abs(np.diff(away))
    assert [*steps] == sorted(steps) and away[-1].imag < -4 and "ylim=(-4, 4)" in text
    turns = np.angle(np.diff(down)[:20])
    assert np.ptp(turns) > 0.2 and np.all(np.diff(down)[:5].imag > 0)
    first, other = np.diff(down)[0], np.diff(away)[0]
    assert np.isclose(first.real, other.real) and np.isclose(first.imag, -other.imag)
    assert first.imag > 0


# Check.


@says(
    "The program checks …",
    "The first method …",
    "The second method …",
    "The upstream gradient is random.",
    "It is complex if …",
    "Each formula, compared …",
    "The forward pass, …",
)
def test_the_table():
    lines = [line.text for line in trace("table.py")]
    assert len(lines) == 10 and all(text.count("True") == 2 for text in lines)
    # A star in the wrong place shows: the table's program, with one moved.
    text = source("table.py")
    moved = text.replace("upstream * conj(w)", "conj(upstream) * w").replace(
        "3 * tf.signal.i", "tf.signal."
    )
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(moved, {})
    shown = printed.getvalue().splitlines()
    assert [at for at, (a, b) in enumerate(zip(lines, shown)) if a != b] == [0, 9]


@says(
    "All formulas agree …",
    "For finite differences, …",
)
@over(z=points(0.5, 2))
def test_the_dtypes_of_pairs(z):
    assert tf.complex64.real_dtype == tf.float32
    assert tf.complex128.real_dtype == tf.float64
    loss = against(1, tf.exp)
    exact = np.conj(np.exp(z))
    errors = [
        abs(along(loss, tf.constant(z, dtype)) - exact)
        for dtype in (tf.complex64, tf.complex128)
    ]
    assert errors[1] < 1e-6 and errors[0] > 100 * errors[1]


# Where it breaks.


@says(
    "Real numbers hide …",
    "This gradient function …",
    "Only the second …",
    "Deliberately wrong: the gradient …",
)
@over(
    mode=[EAGER, XLA],
    z=numbers(-1e3, 1e3),
    w=numbers(-1e3, 1e3),
    upstream=numbers(-1e3, 1e3),
)
def test_tests_with_real_numbers(mode, z, w, upstream):
    wrong = program("wrong/conjugate.py").product
    loss = lambda y: math.real(tf.cast(upstream, y.dtype) * y)  # noqa: E731
    found, right = (
        mode.gradients(each, tensor(z), tensor(w), loss=loss)
        for each in (wrong, product)
    )
    assert same(found, right, 1e-12)
    found, right = (
        mode.gradients(each, tensor(z + 1j), tensor(w - 2j), loss=LOSSES["ones"])
        for each in (wrong, product)
    )
    assert not same(found, right, 1e-3)


@says(
    "`tf.cast` to a …",
    "`tf.math.real` prints no …",
)
@over(dtype=[(tf.complex64, tf.float32), (tf.complex128, tf.float64)])
def test_who_warns(dtype):
    paired, real = dtype
    logger, said = logging.getLogger("tensorflow"), io.StringIO()
    handler, before = logging.StreamHandler(said), logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.WARNING)
    try:
        math.real(tf.constant(1 + 2j, paired))
        assert not said.getvalue()
        for run in (lambda f: f, tf.function):
            assert run(lambda z: tf.cast(z, real))(tf.constant(1 + 2j, paired)) == 1
            assert "discard the imaginary part" in said.getvalue()
            said.truncate(0)
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


@says(
    "TensorFlow differentiates both …",
    "If you drop …",
    "If you square …",
    "To make the …",
    "With this loss, …",
    "Compare the final …",
    "Deliberately wrong: the imaginary …",
)
@over(mode=[EAGER, XLA], z=points(1, 2))
def test_the_dropped_part(mode, z):
    losses = program("wrong/cast.py").losses
    assert len(losses) == 4
    for name, loss in losses.items():
        found = complex(mode.gradient(loss, tensor(z)))
        assert near_to(found, along(loss, tensor(z)), 1e-4)
        stays = name in ("cast", "Re, then square")
        assert (found.imag == 0) == stays
    square, modulus = losses["square, then Re"], losses["squared modulus"]
    assert square(tensor(z + 1e3j)) < -9e5 and square(tensor(z + 1e6j)) < -9e11
    assert modulus(tensor(z)) >= 0
    shown = [line.text for line in trace("wrong/cast.py")]
    assert len(shown[1:]) == 4
    assert ["0.500j" in text for text in shown] == [False, True, True, False, False]
    assert shown[-1].endswith("then z 2.000+1.000j and L 0.00")


wrongly_typed = program("wrong/dtype.py")
TAKE = {
    "nothing": tf.identity,
    "z + z": lambda z: z + z,
    "z + 1": lambda z: z + 1,
    "-z": lambda z: -z,
    "a sum": tf.reduce_sum,
    "a reshape": lambda z: tf.reshape(z, [-1]),
    "a slice": lambda z: z[:1],
    "a gather": lambda z: tf.gather(z, [0, 0]),
    "a transpose": lambda z: tf.transpose(z[None]),
    "conj": math.conj,
    "concat": lambda z: tf.concat([z, z], 0),
}
REFUSE = {
    "z²": tf.square,
    "z z": lambda z: z * z,
    "exp": tf.exp,
    "2 z": lambda z: 2 * z,
    "FFT": tf.signal.fft,
    "√z": tf.sqrt,
}


@says(
    "The other gradient …",
    "If such a …",
    "On the way …",
    "For example, the gradient …",
    r"The gradient functions of $z + z$ …",
    "Deliberately wrong: gradients …",
    was=(
        "'an error in the next step backward': silent through eleven others",
        "'only if another gradient function comes in between': abs2 itself, a sum",
    ),
)
@over(mode=[*FOUR, AROUND_XLA], step=TAKE | REFUSE)
def test_the_wrong_dtype(mode, step):
    z = tf.constant([1 + 2j, 3 - 1j], tf.complex64)
    behind = lambda z: wrongly_typed.real_part(step(z))  # noqa: E731
    if step in REFUSE.values():
        assert raised(mode.gradient, behind, z) is not None
    else:
        assert mode.gradient(behind, z).dtype == tf.float32
    if step is not TAKE["nothing"]:
        return
    found = mode.gradient(wrongly_typed.real_part, z)
    assert found.dtype == tf.float32 != z.dtype
    found = mode.gradient(lambda t: math.real(wrongly_typed.rotated(t)), 0.5)
    assert found.dtype == tf.complex64
    added = lambda z: wrongly_typed.real_part(z) + tf.abs(z)  # noqa: E731
    error = raised(mode.gradient, added, z)
    assert "AddN" in str(error) and "complex64" in str(error)
    twice = lambda z: wrongly_typed.real_part(z) + wrongly_typed.real_part(z)  # noqa: E731
    assert mode.gradient(twice, z).dtype == tf.float32


@says(
    "`abs2` fails in …",
)
@over(mode=[EAGER, AROUND])
def test_its_own_gradient_function(mode):
    error = raised(mode.gradient, wrongly_typed.abs2, tf.constant(1 + 2j, tf.complex64))
    frames = [frame.f_code for frame, _ in walk_tb(error.__traceback__)]
    [own] = [each for each in frames if each.co_filename.endswith("dtype.py>")][-1:]
    assert own.co_name == "<lambda>"
    assert "Mul" in str(error)


@says(
    "If the function maps real …",
    "A real input …",
)
@over(mode=FOUR, t=numbers(-3, 3))
def test_from_real_to_complex(mode, t):
    @tf.custom_gradient
    def rotated(t):
        y = tf.exp(tf.complex(tf.zeros_like(t), t))
        return y, lambda upstream: math.real(upstream * math.conj(1j * y))

    found = mode.gradient(rotated, t, loss=math.real)
    assert found.dtype == tf.float32 and same(found, -np.sin(np.float32(t)), 1e-5)


# The exercise.


@says(
    "$y = z / |z|$ …",
    "Both the numerator …",
    "Take the inner …",
    "The formula subtracts …",
    "This part can …",
    "The rest is …",
    "Compare the custom …",
    "The third upstream …",
    "The direction z …",
)
@over(mode=FOUR, z=points(1e-12, 1e12), upstream=points(0.1, 10))
def test_the_direction(mode, z, upstream):
    direction = program("solution.py").direction
    y = complex(direction(tensor(z)))
    assert np.isclose(abs(y), 1) and np.isclose(np.angle(y), np.angle(z))
    loss = lambda y: math.real(np.conj(upstream) * y)  # noqa: E731
    found = complex(mode.gradient(direction, tensor(z), loss=loss)) * abs(z)
    assert abs((np.conj(found) * y).real) < 1e-9
    assert near_to(found, upstream - (np.conj(upstream) * y).real * y)
    assert near_to(
        abs(z) * along(lambda z: loss(direction(z)), tensor(z)), found, 1e-3
    ) or not (0.1 < abs(z) < 100)
    down = trace("solution.py").line("downstream").text
    assert down.endswith("0.    +0.j    ]")


@says(
    "Let `y = z * w` …",
    r"It is $2 + 6 \, \mathrm{i}$: …",
    "The value of …",
    r"It returns $6 + 2 \, \mathrm{i}$, …",
)
@over(mode=TAPES, other=points())
def test_predictions(mode, other):
    w, loss = tensor(1 - 3j), against(2, tf.identity)
    for z in (2 + 1j, other):
        found = mode.gradient(lambda z: loss(product(z, w)), tensor(z))
        assert found == 2 + 6j == 2 * np.conj(1 - 3j)
    assert mode.gradient(tf.square, tensor(3 - 1j)) == 6 + 2j
    assert np.conj(6 + 2j) == 6 - 2j == 2 * (3 - 1j)


@says("(In contrast, `tf.gradients` …")
def test_tf_gradients_with_upstream():
    square = tf.function(lambda z: tf.gradients(z * z, z, grad_ys=tf.ones_like(z))[0])
    assert same(square(tensor(1 + 2j)), 2 - 4j)


definition(
    "On this page …",
    "$L$ is always real.",
    "The dtypes of …",
    "These two derivatives …",
    "Suppose that $y$ …",
)


advice(
    "You need the …",
    "Conjugate this factor …",
    "Compare `upstream`, `local` …",
    "Compare `custom` with …",
    "In each line, …",
    "Make two quick …",
    "Predict: a product.",
    "What is the …",
    "Predict: a complex target.",
    "What does `tape.gradient` …",
    "Derive: a direction.",
    "Derive its gradient function.",
    "Which part of …",
)


history(
    "TensorFlow and PyTorch …",
    "JAX returns the …",
    "By convention, TensorFlow …",
    "PyTorch does the …",
    "JAX has a …",
    "In general, it …",
    "For a real loss, …",
)


pointer(
    "For example:",
    "For four numbers, …",
    "The program that …",
    "The catalogue of …",
    "The catalogue compares …",
    "This page lists …",
    "Some operations need …",
)
