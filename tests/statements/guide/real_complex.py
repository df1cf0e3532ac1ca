"""What the page between real and complex says in words."""

from truth.statements.tries import *

phase = program("phase.py").phase
rfft = program("rfft.py").rfft
naive = program("wrong/naive.py").rfft
slope, product = program("second.py").slope, program("second.py").product
plain = tf.signal.rfft
THREE = [EAGER, INSIDE, AROUND]


def weighted(function, upstream):
    """A real loss with this upstream gradient."""
    return lambda x: tf.reduce_sum(tf.math.real(np.conj(upstream) * function(x)))


def random(*shape):
    return np.random.default_rng(sum(shape)).normal(size=shape)


def joined(*shape):
    return random(*shape) + 1j * random(1, *shape)[0]


@says(
    "If you don't …",
    "This gradient function …",
    "Compare the two gradients:",
    "The custom gradient is …",
    "The right gradient is …",
    "The wrong gradient has …",
    "Deliberately wrong: the …",
)
@over(mode=THREE)
def test_the_rule_of_an_fft(mode):
    x = tf.constant([1.0, 2.0, -1.0, 0.5], tf.float64)
    weights = tf.constant([0.5, 1.0, 2.0], tf.float64)
    for rule, right in (
        (naive, [0.5, 18.5, -15.5, 6.5]),
        (plain, [-3.5, 15.5, -11.5, 9.5]),
    ):
        found = mode.gradient(
            lambda x: tf.reduce_sum(weights * tf.abs(rule(x)) ** 2), x
        )
        assert same(found, right, 1e-12)
        assert found.shape == x.shape and found.dtype == x.dtype
    counted = np.array([1, 2, 1])
    assert max(counted) == 2 and "tf.signal.irfft(upstream" in source("wrong/naive.py")
    upstream = joined(3)
    wrong = mode.gradient(weighted(naive, upstream), x)
    assert same(wrong, mode.gradient(weighted(plain, counted * upstream), x), 1e-12)


@says(
    "The gradient is the real …",
    "If the input …",
    "Return the real …",
    "The input is …",
    "Use the chain rule:",
    "By the convention, …",
    r"The change $\d \theta$ …",
    "The factor in …",
    "A number and …",
    "The gradient of a real input …",
    "The imaginary part …",
    "The gradient of a phase: …",
)
@over(
    mode=THREE, upstream=st.complex_numbers(max_magnitude=1e3), theta=st.floats(-9, 9)
)
def test_a_phase(mode, upstream, theta):
    x = tf.constant(theta, tf.float64)
    y = np.exp(1j * theta)
    moved = upstream * np.conj(1j * y)
    assert same((np.conj(upstream) * 1j * y).real, moved.real, 1e-9)
    found = mode.gradient(weighted(phase, upstream), x)
    assert found.dtype == tf.float64 and same(found, moved.real, 1e-9)
    # The whole number is that of a complex input.
    held = tf.constant(theta, tf.complex128)
    whole = mode.gradient(weighted(lambda z: tf.exp(1j * z), upstream), held)
    assert same(whole, moved, 1e-9)


@says(
    "After this page …",
    "For `tf.signal.rfft` of …",
    "Then return `n * tf.signal.irfft(halved, [n])`.",
    "The Fourier transform …",
    "So `tf.signal.rfft` returns …",
    "For four numbers, …",
    "As for the phase, …",
    "For a product …",
    "To compute this …",
    "So `tf.signal.irfft` counts …",
    "But in the …",
    "Therefore halve the …",
    "The second program …",
    "In both blocks …",
    "0.5 for each …",
    "With four numbers, …",
    "The upstream gradient of the middle …",
    "With five numbers, …",
    "The gradient of a transform …",
)
@over(mode=THREE, n=st.integers(1, 9))
def test_a_transform(mode, n):
    x = tf.constant(random(2, n))
    whole = tf.signal.fft(tf.cast(x, tf.complex128)).numpy()
    assert same(whole[:, 1:], np.conj(whole[:, :0:-1]), 1e-12)
    half = plain(x).numpy()
    assert half.shape[-1] == n // 2 + 1 and same(half, whole[:, : n // 2 + 1], 1e-12)
    assert plain(tf.zeros(4)).shape == [3]
    upstream = joined(2, n // 2 + 1)
    found = mode.gradient(weighted(rfft, upstream), x)
    assert same(found, mode.gradient(weighted(plain, upstream), x), 1e-12)
    # How often each frequency is put back.
    places = range(n // 2 + 1)
    put_back = [
        n
        * np.abs(
            tf.signal.irfft(tf.one_hot([k], len(places), dtype=tf.complex128), [n])
        ).max()
        for k in places
    ]
    mirrored = [2 if k != (n - k) % n else 1 for k in places]
    assert same(put_back, mirrored, 1e-12)
    assert mirrored == {4: [1, 2, 1], 5: [1, 2, 2]}.get(n, mirrored)
    assert (np.abs(half.imag[:, np.array(mirrored) == 1]) < 1e-12).all()
    # The formula with the matrix.
    F = np.exp(-2j * np.pi * np.outer(range(n // 2 + 1), range(n)) / n)
    assert same(found, (upstream @ F.conj()).real, 1e-9)


@says("For the four …", "It equals `downstream`.")
def test_the_matrix():
    lines = [each.numbers for each in trace("rfft.py")]
    four = [each for each in lines if len(each) == 4]
    assert F_SHAPE in source("rfft.out") and "by F" in source("rfft.out")
    assert len(four) >= 4 and same(lines[-1], lines[1])


F_SHAPE = "F has the shape [3, 4]"


@says(
    "Pass the length …",
    "Without the length, …",
)
def test_the_length():
    x = tf.constant(random(5))
    assert tf.signal.irfft(plain(x)).shape == [4]
    assert same(tf.signal.irfft(plain(x), [5]), x, 1e-12)


@says(
    "The first program …",
    "Look at `downstream` …",
    "At the angle …",
    "The real part of …",
    "`by_hand` is the …",
    "The squared distance …",
)
def test_the_trace():
    named = program("phase.py")
    upstream, downstream, rule, by_hand = trace("phase.py")
    assert upstream.text.split('"')[1] == "(-2.0000,-2.0000)"
    assert ((-2 - 2j) * -1j).real == -2 and np.conj(1j * 1) == -1j
    assert downstream.numbers[0] == -2
    assert rule.numbers[-2:] == by_hand.numbers[-2:] == downstream.numbers
    angles = tf.constant(np.linspace(-3, 3, 601))
    losses = [named.loss(named.by_hand(angle)) for angle in angles]
    assert abs(angles[int(np.argmin(losses))] - np.angle(2 + 1j)) < 0.01


@says(
    "A second derivative …",
    "So you can't …",
    "The gradient of a real loss …",
    "To differentiate the …",
    "This inner product …",
    "The derivative along …",
    "For $L = |z|^4$ …",
    "Because of the …",
    "Compare `H (i v)` …",
    "Its inner product …",
    "`H (i v)` is …",
    "You don't have …",
    "Its `grad` computes …",
    "Every gradient function …",
    "A Hessian times …",
    "The Hessian at …",
)
@over(
    make=[lambda f: f, tf.function],
    z=st.complex_numbers(min_magnitude=0.1, max_magnitude=9),
    v=st.complex_numbers(min_magnitude=0.1, max_magnitude=9),
)
def test_second_order(make, z, v):
    at, along = tf.constant(z, tf.complex128), tf.constant(v, tf.complex128)
    assert same(make(slope)(at), 4 * abs(z) ** 2 * z, 1e-9)
    terms = 8 * abs(z) ** 2 * v, 4 * z * z * np.conj(v)
    right = sum(terms)
    assert len(terms) == 2
    scale = abs(z) ** 2 * abs(v)
    assert abs(make(product)(at, along).numpy() - right) < 1e-9 * scale
    h = 1e-5
    difference = (slope(at + h * along) - slope(at - h * along)).numpy() / (2 * h)
    assert abs(difference - right) < 1e-4 * abs(v) ** 2 * scale + 1e-4 * scale
    # The two differ by twice the term with v*.
    rows = {each.text[:14].strip(): each.numbers for each in trace("second.py")}
    assert rows["H (i v)"] == [76, 172] and rows["i (H v)"] == [4, 68]
    turned = make(product)(at, 1j * along).numpy() - 1j * right
    assert abs(turned + 8j * z * z * np.conj(v)) < 1e-8 * scale


@says(
    "The upstream gradient is …",
    "The program also …",
    "This custom gradient …",
    "All four custom …",
    "The program compares each …",
    "Compare gradients with …",
)
def test_the_check():
    lines = [line.text for line in trace("check.py")]
    assert len(lines) == 4
    assert all(
        line.endswith("TensorFlow's: True  finite differences: True") for line in lines
    )
    rule = program("check.py").irfft4
    z, upstream = tf.constant(joined(3)), random(4)
    for mode in THREE:
        found = mode.gradient(lambda z: tf.reduce_sum(upstream * rule(z)), z)
        right = np.array([1, 2, 1]) * plain(tf.constant(upstream)).numpy() / 4
        assert same(found, right, 1e-12)


@says(
    "Which gradient does …",
    "The gradient function …",
    "The imaginary part …",
    "The gradients of …",
)
@over(mode=THREE)
def test_the_solution(mode):
    named = program("solution.py")
    a, b = tf.constant(1.0, tf.float64), tf.constant(2.0, tf.float64)

    def loss(ab):
        return named.real_part(named.join(ab[0], ab[1]))

    assert same(mode.gradient(loss, tf.stack([a, b])), [1, 0])
    first, second = trace("solution.py")
    assert first.text.endswith("gradients 1.0 0.0")
    assert second.text.endswith("gradients 1.0 3.0")


@says(
    r"Let $y = e^{\mathrm{i} \, \theta}$ …",
    "The gradient is 5.",
    "The conjugate of …",
    "`tf.signal.rfft` transforms six …",
    "It returns four.",
    "Two of their …",
)
@over(mode=THREE)
def test_predictions(mode):
    found = mode.gradient(weighted(phase, 3 + 5j), tf.constant(0.0, tf.float64))
    assert found == 5 == ((3 + 5j) * -1j).real and np.conj(1j * np.exp(0)) == -1j
    assert plain(tf.zeros(6)).shape[-1] == 4
    mirrored = [k == (6 - k) % 6 for k in range(4)]
    assert mirrored == [True, False, False, True] and mirrored.count(False) == 2


definition(
    "On this page, …",
    "$L$ is always real.",
)


advice(
    "Make two quick …",
    "Predict: a phase.",
    "What is the …",
    "Predict: which frequencies …",
    "How many frequencies …",
    "Derive: the parts.",
    "With the four …",
)


pointer(
    "You need the …",
    "The section on …",
)
