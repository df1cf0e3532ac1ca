"""What the page on straight-through gradients and gradient reversal says in words."""

from truth.statements.tries import *

FEW = [EAGER, AROUND, XLA]
POINTS = [-9.0, -2.5, -1.0, -0.5, -1e-3, -1e-30, 0.0, 1e-30, 0.2, 0.5, 1.0, 1.5, 4.0]


def back_through(change, forward=tf.identity):
    @tf.custom_gradient
    def identity(x):
        return forward(x), lambda upstream: change(upstream)

    return identity


ROUND_THROUGH = back_through(lambda u: u, tf.round)


# Straight through.


LOOPS = [each for each in BLOCKS if "loop, tape" in each.name]


@says(
    "`tf.round` has derivative …",
    "Its gradient in …",
    was="'returns None': in a loop it is 0",
)
@over(mode=[*MODES, *LOOPS], x=numbers(-1e3, 1e3))
def test_the_slope_of_a_rounding(mode, x):
    found = mode.gradient(tf.round, x)
    assert found == 0 if mode in LOOPS else found is None
    if mode is EAGER:
        count = lambda i, y: (i + 1, tf.round(y))  # noqa: E731
        loop = lambda x: tf.while_loop(lambda i, y: i < 1, count, [0, x])[1]  # noqa: E731
        assert mode.gradient(loop, x) is None
    h = 2.0**-8
    jumps = np.round(x - h) != np.round(x + h)
    assert jumps or same(tf.round(x + h) - tf.round(x - h), 0.0)


@says(
    "In the program, the upstream …",
    "The straight-through estimator …",
    "The forward pass is …",
    "The gradient function uses the identity …",
    "A function that …",
    "1 at 0; …",
)
@over(mode=FEW, loss=LOSSES)
def test_straight_through(mode, loss):
    x, read = tf.constant([-1.7, 0.5, 2.2]), program("straight.py")
    for through in (ROUND_THROUGH, read.binarize_through):
        found = mode.gradient(through, x, loss)
        assert same(found, EAGER.gradient(loss, through(x)), 1e-6)
    assert set(np.asarray(read.binarize_through(tf.constant(POINTS)))) == {-1, 1}
    assert same(read.binarize_through(tf.constant([0.0, np.nan])), [1.0, np.nan])
    assert not same(tf.round(x), x)


@says(
    "A quantizer with …",
    "The two scalings …",
    "Needs no new …",
)
@over(mode=FEW, step=st.floats(2.0**-10, 2.0**10, width=32), u=numbers(-9, 9))
def test_the_scalings_cancel(mode, step, u):
    x = tf.constant([-1.7, 0.5, 2.2])
    found = mode.gradient(lambda x: u * (step * ROUND_THROUGH(x / step)), x)
    assert same(found, np.full(3, np.float32(u)), 1e-5)


def stop(f):
    return lambda x: x + tf.stop_gradient(f(x) - x)


@says(
    "You can write …",
    "`x + …",
    "With a different function, …",
    "For example, with `tf.sign` …",
    was="'fails far from 0': for a rounding never, at a finite number",
)
@over(dtype=FLOATS, x=numbers(around=[0.5, 1.5, 2.0**23]), cases=100)
def test_three_ways(dtype, x):
    x = tf.cast(x, dtype)
    if np.isfinite(float(x)):
        assert same(stop(tf.round)(x), tf.round(x))
        assert same(tf.grad_pass_through(tf.round)(x), tf.round(x))
    assert float(stop(tf.sign)(tf.constant(10.0**8))) == 0 and tf.sign(10.0**8) == 1
    heads = [line.text for line in trace("straight.py") if line.text[0] not in " x"]
    assert heads[3] == "round" == heads[0]


@says(
    "With `tf.custom_gradient`, `grad` can …",
    "Without a window, …",
    "For example, if the output …",
)
@over(mode=FEW, x=numbers(1.5))
def test_without_a_window(mode, x):
    choice = program("straight.py").binarize_through
    pushed = mode.gradient(lambda x: (choice(x) - 3.0) ** 2, x)
    assert same(pushed, -4.0)  # and so on, however large x is

    @tf.custom_gradient
    def window(x):
        return tf.sign(x), lambda upstream: upstream * tf.cast(abs(x) <= 1.0, x.dtype)

    assert same(mode.gradient(lambda x: (window(x) - 3.0) ** 2, x), 0.0)


@says(
    "Two panels over x …",
    "Output: one staircase, …",
    "Gradient: zero for …",
    "Three gradients of …",
    "In the figure, …",
)
def test_the_figure_of_rounding():
    output, gradient = drawn("figure.py")[0].axes
    x = np.asarray(output.lines[0].get_xdata())
    assert np.allclose([x.min(), x.max()], [-3.3, 3.3]) and len(output.lines) == 3
    assert all(same(line.get_ydata(), np.round(x)) for line in output.lines)
    rounding, through, window = (line.get_ydata() for line in gradient.lines)
    assert not np.any(rounding) and np.all(through == 1)
    assert same(window, np.abs(x) <= 2)


@says(
    "For a rounding, …",
    "Only `tf.round` itself …",
)
@over(mode=MODES, x=numbers(-9, 9))
def test_only_round_has_none(mode, x):
    assert mode.gradient(tf.round, x) is None
    for through in (ROUND_THROUGH, stop(tf.round), tf.grad_pass_through(tf.round)):
        assert mode.gradient(lambda x: through(x), x) == 1


# Reversal.

REVERSE = back_through(lambda u: -3.0 * u)


@says(
    "Only the path …",
    "In domain adaptation …",
    "The head $q …",
    "You train both …",
    "You train the …",
    "This training needs …",
    "Change only the …",
)
@over(mode=FEW, f=numbers(-3, 3), a=numbers(-3, 3), c=numbers(-3, 3), cases=6)
def test_two_heads(mode, f, a, c):
    def losses(between):
        return lambda f, a, c: tf.square(a * f - 1.0) + tf.square(c * between(f) + 1.0)

    label = mode.gradients(lambda f, a: tf.square(a * f - 1.0), f, a)
    domain = mode.gradients(lambda f, c: tf.square(c * f + 1.0), f, c)
    found = mode.gradients(losses(REVERSE), f, a, c)
    expected = label[0] - 3.0 * domain[0], label[1], domain[1]
    assert np.allclose(found, expected, 1e-4, 1e-4)


@says(
    "No single loss …",
    "If a loss …",
    "With the reversal, …",
    "So the training …",
)
@over(factor=[0.5, 1.0, 3.0], c=numbers(-2, 2), f=numbers(-2, 2), cases=48)
def test_no_single_loss(factor, c, f):
    reverse = back_through(lambda u: -factor * u)

    def gradients(c, f):
        return EAGER.gradients(lambda c, f: tf.square(c * reverse(f) + 1.0), c, f)

    h = 2.0**-6
    c_then_f = (gradients(c, f + h)[0] - gradients(c, f - h)[0]) / (2 * h)
    f_then_c = (gradients(c + h, f)[1] - gradients(c - h, f)[1]) / (2 * h)
    assert np.isclose(f_then_c, -factor * c_then_f, 1e-2, 1e-2)
    assert abs(c_then_f) < 0.1 or np.sign(c_then_f) == -np.sign(f_then_c)


@says("In the code, add …", "If you subtract …")
@over(mode=FEW, c=numbers(0.1, 3))
def test_subtracted_as_well(mode, c):
    reverse = back_through(lambda u: -u)

    def domain(between):
        return lambda f, c: tf.square(c * between(f) + 1.0)

    plain = mode.gradients(domain(tf.identity), 0.75, c)
    twice = mode.gradients(lambda f, c: -domain(reverse)(f, c), 0.75, c)
    assert same(twice[0], plain[0], 1e-5) and same(twice[1], -plain[1], 1e-5)


@says(
    "The program evaluates …",
    "With an upstream …",
    "One feature, two …",
)
def test_what_reversal_prints():
    [one] = trace("reversal.py")
    assert one.numbers == [1 * 3 - 0.5 * 10 * 5, 2.0, 10 * 2.0] == [-22, 2, 20]
    read = program("reversal.py")
    text = source("reversal.py")
    assert "f, a, c = tf.Variable(2.0), tf.Variable(3.0), tf.Variable(5.0)" in text
    assert read.lambda_ == 0.5
    assert "q_bar, r_bar = tf.constant(1.0), tf.constant(10.0)" in text


@says("A gradient reversal …", "In the target domain, …")
def test_the_layer_in_keras():
    without, reversed_, _ = trace("../../systems/keras/reversal.py")
    assert (without.numbers[0], reversed_.numbers[0]) == (0, 3)
    assert (without.numbers[-1], reversed_.numbers[-1]) == (132, 164)
    text = source("../../systems/keras/reversal.py")
    assert "return -lambda_ * upstream, None" in text and "keras.Model(" in text
    assert "right[200:].sum()" in text and "np.tile([[1.0], [-1.0]], [200, 1])" in text


# Where it breaks.


@says(
    "A tape doesn't …",
)
@over(mode=MODES, dtype=[tf.int8, tf.int32, tf.int64, tf.uint8, tf.bool])
def test_whole_numbers(mode, dtype):
    called = []
    through = back_through(called.append, lambda x: tf.cast(tf.round(x), dtype))
    assert mode.gradient(lambda x: tf.cast(through(x), tf.float32) ** 2, 1.2) is None
    assert not called


@says(
    "`tf.grad_pass_through` returns the …",
    "For a sum, this …",
    "In some modes …",
    "Wrap only functions …",
)
@over(
    mode=[EAGER, PERSISTENT, INSIDE, AROUND, AROUND_XLA],
    f=[tf.reduce_sum, lambda x: x[0], lambda x: x[:2]],
)
def test_another_shape(mode, f):
    passed, x = tf.grad_pass_through(f), tf.ones([4])
    error = message(mode.gradient, passed, x)
    if mode in (AROUND, AROUND_XLA):
        assert "Incompatible shapes" in error
    else:
        assert mode.gradient(passed, x).shape == f(x).shape != x.shape
    kept = tf.grad_pass_through(tf.sign)
    assert mode.gradient(kept, x).shape == x.shape


# The exercises.


@says(
    "Let `y = reverse(reverse(x))`, …",
    "The gradient is 6, …",
    "With three reversals, the gradient is −6.",
)
@over(mode=MODES)
def test_two_reversals(mode):
    reverse = back_through(lambda u: -u)
    thrice = mode.gradient(lambda x: reverse(reverse(reverse(x))) ** 2, 3.0)
    assert thrice == -6
    found = mode.gradient(lambda x: reverse(reverse(x)) ** 2, 3.0)
    assert found == 6 == -1 * -1 * 2 * 3


@says(
    "Write an 8-bit …",
    "It clips $x$ …",
    "Its gradient function passes …",
    "Compare your quantizer …",
    "The surrogate is …",
    "Its derivative is 1 …",
    "At the two …",
    "Solution: quantize to …",
)
@over(mode=FEW, x=arrays((4,), numbers(-4, 4, around=[-1, 1.55])), cases=24)
def test_the_quantizer(mode, x):
    read = program("solution.py")
    x = tf.concat([x, [-1.0, 1.55]], 0)
    found = mode.gradient(read.quantize, x)
    assert same(found, EAGER.gradient(lambda x: tf.clip_by_value(x, -1.0, 1.55), x))
    assert same(found[-2:], [1.0, 1.0]) and same(mode.gradient(read.built_in, x), found)
    assert same(found, (np.float32(-1) <= x) & (x <= np.float32(1.55)))
    assert read.LEVELS + 1 == 256 == 2**8 and (read.LOW, read.HIGH) == (-1.0, 1.55)
    levels = (np.asarray(read.quantize(x), float) + 1.0) / 0.01
    assert np.allclose(levels, np.round(levels), atol=1e-3)
    assert levels.min() + 1e-3 >= 0 and levels.max() < 255.001


@says(
    "After this page …",
    "For the rounding, …",
    "For the loss …",
    "train through a …",
    "train a feature …",
)
@over(mode=FEW, u=numbers(-9, 9), lambda_=[0.5, 3.0])
def test_what_both_return(mode, u, lambda_):
    x = tf.constant([-1.7, 0.5, 2.2])
    for rule, y, factor in (
        (ROUND_THROUGH, tf.round(x), 1.0),
        (back_through(lambda upstream: -lambda_ * upstream), x, -lambda_),
    ):
        assert same(rule(x), y)
        found = mode.gradient(lambda x: u * tf.reduce_sum(rule(x)), x)
        assert same(found, np.full(3, factor * np.float32(u)), 1e-6)


definition("In the second …", "A window is …")
advice(
    "Round the value, …",
    "With a reversal, …",
    "Don't subtract the …",
    "Test such a …",
    "Before you use …",
)
pointer(
    "Two failures are …",
    "The output is cast …",
    "`tf.grad_pass_through` wraps a sum.",
    "You need to …",
    "A gradient for …",
    "Straight-through gradients: …",
    "Compare `dL/dx` of …",
    "The program that …",
    "Make a prediction, …",
    "Predict: two reversals.",
    "Derive: an 8-bit …",
    "`tf.grad_pass_through(tf.round)` is the …",
    "Its result is …",
    "Then what the …",
    "You want to — …",
)
