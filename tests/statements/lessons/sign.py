"""What the page on sign says in words."""

from truth.statements.tries import *

VALUES = {
    "eager": tf.sign,
    "tf.function": tf.function(tf.sign),
    "XLA": tf.function(tf.sign, jit_compile=True),
}


@tf.custom_gradient
def sign(x):
    """That of sign.py, which prints; XLA has no operation for that."""

    def grad(upstream):
        s = tf.sigmoid(x)
        return upstream * s * (1.0 - s)

    return tf.sign(x), grad


def slope(x):
    return np.exp(-abs(x)) / (1 + np.exp(-abs(x))) ** 2


def scaled_signs(scale, *xs):
    return tf.add_n([scale * tf.cast(tf.sign(x), tf.float32) for x in xs])


@says(
    "After this lesson …",
    "`tf.sign` has gradient …",
    "TensorFlow raises no …",
    "The gradient of …",
    "Deliberately wrong: the …",
)
@over(mode=EVERYWHERE, x=numbers(finite=False), scale=numbers(), cases=184)
def test_the_gradient_of_sign(mode, x, scale):
    given = [tf.cast(x, dtype) for dtype in FLOATS]
    _, *found = mode.gradients(scaled_signs, scale, *given)
    assert len(found) == 4 and same(found, [0.0] * 4)


@says("To fix this, …")
def test_the_way_out():
    assert trace("wrong/tf_sign.py")[-1].numbers == [0] * 5
    assert all(
        line["gradient"] > 0 for line in trace("sign.py").starting("alone", "in loss")
    )


@says(
    "Each gradient is …",
    "The lines that …",
    "$x = 3$, alone: …",
    "With $\\sigma(3) …",
    "This gradient is small, …",
    "$x = 3$, in …",
    "So $\\downstream{\\bar x} = 2 …",
    "$x = 0$: …",
    "The derivative of the sigmoid is largest …",
    "At each of two …",
    "For this loss, …",
    "TensorFlow computes …",
    "The value of sign, with the derivative of the sigmoid.",
)
def test_the_trace():
    lines = trace("sign.py")
    alone, in_loss, at_0, at_0_in_loss = lines.starting("backward")
    assert (alone["x"], alone["upstream"], alone["local"]) == (3, 1, 0.0451766551)
    assert (in_loss["upstream"], in_loss["downstream"]) == (2, 0.0903533101)
    assert [line["loss"] for line in lines.starting("in loss")] == [2, 0.5]
    assert [line["y"] for line in lines.starting("forward")] == [1, 1, 0, 0]
    assert at_0["upstream"] == at_0_in_loss["upstream"] == 1 and at_0["local"] == 0.25
    assert (
        abs(slope(3) - 0.0451766551) < 1e-8
        and round(1 / (1 + np.exp(-3.0)), 6) == 0.952574
    )
    assert max(slope(x) for x in np.linspace(-9, 9, 1001)) == slope(0) == 0.25


@says(
    "Like sign, the …",
    "In float32, `sign.py` …",
    was="'it has a slope everywhere': s * (1 - s) is 0 in float32 at x = 17",
)
@over(x=numbers(-80, 40, around=[17]), mode=MODES)
def test_where_the_surrogate_has_a_slope(x, mode):
    assert slope(np.float64(x)) > 0
    assert (mode.gradient(sign, x) > 0) == (x < 17) or 16 < x < 17


@says(
    "In the forward …",
    "The derivative of sign is 0 for …",
    "So you don't …",
    "The fix is `tf.sign`, …",
    "It also turns …",
    "`tf.where(x > 0, 1, -1)` …",
    "Deliberately wrong: 0 …",
)
@over(value=VALUES, dtype=FLOATS, x=numbers(finite=False))
def test_the_values_of_sign(value, dtype, x):
    x = tf.cast(x, dtype)
    expected = (
        np.nan if x != x else (x > 0).numpy().astype(int) - (x < 0).numpy().astype(int)
    )
    assert same(value(x), expected)
    where = tf.where(x > 0, 1.0, -1.0)
    assert where == (1 if x > 0 else -1) and not np.nan > 0
    assert trace("wrong/where.py")[1].numbers == [-1, -1, -1, 1]


@says(
    "The fix is a surrogate …",
    "You write a …",
    "The gradient function `grad` …",
    "The decorated function …",
    "The surrogate gradient isn't …",
    "Here, both gradients …",
    "On an array, …",
    "The gradient function receives …",
    "Its type is …",
    "It is 0.0451766551 …",
)
@over(mode=MODES, x=arrays((2, 3), numbers(-9, 9)))
def test_the_rule(mode, x):
    found = mode.gradient(sign, x, LOSSES["dense"])
    assert same(found, slope(x.astype(float)) * np.arange(1, 7).reshape(2, 3), 1e-3)
    assert same(mode.gradient(sign, -x), mode.gradient(sign, x), 1e-3)
    assert np.all(found > 0) and np.all(EAGER.gradient(tf.sign, x) == 0)


@says(
    "The differential of the …",
    "The second line …",
    "The differential of $y$ …",
    "The differential of the surrogate …",
)
@over(x=numbers(-30, 30))
def test_the_other_form(x):
    s = 1 / (1 + np.exp(-np.float64(x)))
    assert np.isclose(
        np.exp(-np.float64(x)) / (1 + np.exp(-np.float64(x))), 1 - s, 1e-3, 1e-15
    )
    assert slope(np.float64(x)) != 0


@says(
    "The next program uses …",
    "The program compares …",
    "The surrogate gradient against …",
    "The correct result …",
    "`autodiff` is TensorFlow's …",
    "This sum has …",
    "`tf.stop_gradient` makes the …",
    "This is the …",
    "The custom gradient agrees …",
    "The value of sign, with the sigmoid's …",
    "Check the gradient …",
    "The gradient is 2.",
)
def test_the_check():
    check = program("check.py")
    rows = trace("check.py")[1:]
    for x, upstream, rule, *others in (row.numbers for row in rows):
        assert upstream == np.sign(x) - 2 != 1 and others == [rule, rule]
        assert abs(rule - upstream * slope(x)) < 1e-6
    x = tf.constant([-2.0, 0.5, 3.0])
    assert same(check.shifted(x), tf.sign(x))
    called = []
    counted = tf.custom_gradient(
        lambda x: (tf.sign(x), lambda u: called.append(u) or u)
    )
    check.sign = counted
    check.gradient(check.shifted, x)
    assert not called and check.gradient(counted, x) is not None and called


@says(
    "A correct surrogate …",
    "The program prints …",
    "If $x - h$ and …",
    "If they are …",
    "`tf.test.compute_gradient` has …",
    "At every $x$ …",
    "To test a …",
    "Deliberately wrong: a …",
)
@over(h=numbers(1e-30, 1), x=numbers(-9, 9))
def test_differences_of_sign(h, x):
    differs = abs(slope(x) - (1 / h if abs(x) <= h else 0)) > 1e-3
    assert differs == (slope(x) > 1e-3)  # at h = 1, 1 / h is the least, and not 0.25
    if abs(x) > h:
        assert (np.sign(x + h) - np.sign(x - h)) / (2 * h) == 0 != slope(x)
    at_0 = (np.sign(h) - np.sign(-h)) / (2 * h)
    assert at_0 == 1 / h and (np.sign(h / 2) - np.sign(-h / 2)) / h == 2 / h
    *_, differences, passes = trace("wrong/gradcheck.py")
    assert (
        differences["differences"] == [0, 1024, 0] and passes["check passes"] == "False"
    )


@says("It returns whole …")
def test_compute_gradient_returns_jacobians():
    for [jacobian] in tf.test.compute_gradient(
        tf.square, [tf.constant([-1.0, 1.0, 3.0])]
    ):
        assert same(jacobian, np.diag([-2, 2, 6]), 1e-3)


def clipped(*xs):
    lines = [tf.clip_by_value(x, tf.cast(-1, x.dtype), tf.cast(1, x.dtype)) for x in xs]
    return tf.add_n([tf.cast(line, tf.float32) for line in lines])


@says(
    "Another surrogate for …",
    "The clipped line has …",
    "At these points …",
    "Its derivative is 1 …",
    "Derive the gradient …",
    "If you choose the clipped …",
    "A condition in …",
    "Solution: the value …",
)
@over(mode=MODES, x=numbers(-9, 9, around=[-1, 1]), cases=64)
def test_the_clipped_line(mode, x):
    given = [tf.cast(x, dtype) for dtype in FLOATS]
    found = mode.gradients(clipped, *given)
    assert same(found, [1.0 if abs(x) <= 1 else 0.0 for x in given])


@says("So plain gradient …", was="'no longer changes': Adam still moves it")
@over(name=["SGD", "Adam"], end=[-1, 1])
def test_an_input_outside_the_interval(name, end):
    """From inside the interval, across its end; then with gradients that are 0."""
    optimizer = getattr(tf.keras.optimizers, name)(0.1)
    x = tf.Variable(end * 0.95)
    line = program("solution.py").sign
    places = []
    for _ in range(4):
        with tf.GradientTape() as tape:
            loss = -end * line(x)
        gradient = tape.gradient(loss, x)
        optimizer.apply([gradient], [x])
        places.append((float(gradient), float(x)))
    (first, outside), *later = places
    assert first == -end and abs(outside) > 1
    assert all(gradient == 0 for gradient, _ in later)
    assert all((x == outside) == (name == "SGD") for _, x in later)


@says("In contrast, the …")
@over(mode=MODES)
def test_the_sigmoid_at_3(mode):
    at = float(trace("solution.py")[0].numbers[-1])
    assert at == 3 and 0 < mode.gradient(sign, at) < 0.05


@says("At 3 the upstream …")
def test_the_solution():
    x, upstream, _, downstream = trace("solution.py")[:4]
    assert x.numbers[-1] == upstream.numbers[-1] == 3 and downstream.numbers == [
        1,
        1,
        2,
        3,
        0,
    ]


@says(
    "The gradient is 2.",
    "The upstream gradient is 8, …",
    "The loss is `8.0 * sign(x)`.",
)
@over(mode=COMMON)
def test_a_steep_loss(mode):
    copied = lambda x: sign(tf.identity(x))  # noqa: E731
    steep, usual = mode.gradients(lambda x, y: 8.0 * copied(x) + copied(y), 0.0, 0.0)
    assert same(steep, 2.0, 1e-6) and same(usual, 0.25, 1e-6)


@says(
    "The picture shows both …",
    "The derivative of the surrogate …",
    "The derivative of a wider …",
    "Two panels over x …",
    "Value: sign is −1 …",
    "Derivative: sign has …",
    "sign and its surrogate, …",
)
def test_the_figure():
    above, below = drawn("figure.py")[0].axes
    x = above.lines[0].get_xdata()
    assert len([above, below]) == 2 and (x[0], x[-1]) == (-4, 4)
    (sign, sigmoid), (flat, hump) = (
        [line.get_ydata() for line in plot.lines[:2]] for plot in (above, below)
    )
    true = np.sign(x)
    assert set(true) == {-1, 0, 1} and same(tf.sign(x), true)
    shown = sign == sign
    assert np.all(sign[shown] == true[shown]) and np.all(abs(x[~shown]) < 0.02)
    assert above.lines[2].get_xydata().tolist() == [[0, 0]]
    assert same(sigmoid, 1 / (1 + np.exp(-x)), 1e-6) and sigmoid[0] < sigmoid[-1]
    assert all(slope == 0 for slope in flat) and np.all(hump > 0)
    assert same(hump, EAGER.gradient(tf.sigmoid, x), 1e-6)
    assert x[np.argmax(hump)] == 0 and max(hump) == 0.25
    first = source("figure.live").split("\n")[0]
    ends = [-4.0, 0.0, 4.0]
    slopes = [
        EAGER.gradient(lambda x, width=width: tf.sigmoid(x / width), ends)
        for width in map(float, first.removeprefix("width = ").split(", "))
    ]
    assert same(np.sign(np.diff(slopes, axis=0)), [[1, -1, 1]] * (len(slopes) - 1))
    assert x[[0, -1]].tolist() == ends[::2] == [-4, 4] and ends[1] == 0


definition(
    "So the gradient function uses …",
    "The four steps …",
    "The chain rule would …",
    "$\\upstream{\\bar y}$ tells you …",
    "In the formula, …",
    "Everything else is …",
    "In the code, …",
    "A scalar goes in, …",
    "The surrogate has …",
)
advice(
    "Use the button …",
    "You need to …",
    "Make two quick …",
    "With the loss …",
)
pointer(
    "The exercise uses vectors.",
)
