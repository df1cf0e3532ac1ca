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


@says(
    "`tf.sign` has the gradient 0 at every point.",
    "Put it inside a model, and everything before it receives 0 and stops learning; no"
    " error, no warning.",
    "The gradient is 0 to the left, to the right and at 0, however large the loss.",
    "Wrong on purpose: the gradient of tf.sign is 0, so nothing learns.",
)
@over(mode=MODES, dtype=FLOATS, x=numbers(finite=False), scale=numbers())
def test_the_gradient_of_sign(mode, dtype, x, scale):
    def loss(y):
        return scale * tf.cast(y, tf.float32)

    assert same(mode.gradient(tf.sign, tf.cast(x, dtype), loss), 0.0)


@says("`tf.sign` itself is left in the model.", "`sign.py` above is the way out.")
def test_the_way_out():
    assert trace("wrong/tf_sign.py")[-1].numbers == [0] * 5
    assert all(
        line["gradient"] > 0 for line in trace("sign.py").starting("alone", "in loss")
    )


@says(
    r"At $x = 3$ that slope is 0.0451766551, small and not zero.",
    r"$x = 3$, alone: $\sigma(3) = 0.952574$, so $\local{\sigma(3)(1 - \sigma(3))} ="
    " 0.0451766551$ in float32.",
    "Upstream is 1.",
    r"$x = 3$, in the loss: $y = 1$, $L = \frac{1}{2} \cdot 2^2 = 2$ and"
    r" $\upstream{\bar y} = y + 1 = 2$, so $\downstream{\bar x} = 2 \cdot 0.0451766551 ="
    " 0.0903533101$ in float32.",
    r"$x = 0$: the output is $\operatorname{sign}(0) = 0$, as `tf.sign` defines it, so"
    r" $L = \frac{1}{2}$ and $\upstream{\bar y} = 1$.",
    r"The slope is largest here, $\local{\sigma(0)(1 - \sigma(0))} = \frac{1}{4}$.",
    r"The program asks for the gradient twice at each point: of $y$ alone, and of the"
    r" loss $L = \frac{1}{2}(y + 1)^2$, for which $\upstream{\bar y} = y + 1$.",
    "A stand-in for sign: sign forward, the slope of the sigmoid backward.",
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
    "It too rises from left to right around 0, and on paper it has a slope everywhere."
    " In float32 the slope that is computed below is 0 from 17 on.",
    was="'it has a slope everywhere': s * (1 - s) is 0 in float32 at x = 17",
)
@over(x=numbers(-80, 40, around=[17]), mode=MODES)
def test_where_the_surrogate_has_a_slope(x, mode):
    assert slope(np.float64(x)) > 0
    assert (mode.gradient(sign, x) > 0) == (x < 17) or 16 < x < 17


@says(
    "The function forward is sign, with three values, and it stays exactly that:",
    "Its derivative is 0 for $x \\ne 0$ and does not exist at 0.",
    "`tf.sign` keeps both.",
    "It also turns NaN into −1, for `nan > 0` is false, and so hides a broken input.",
    "`tf.where(x > 0, 1, -1)` returns −1 at 0, although sign is 0 there.",
    "The forward value is written with `tf.where`.",
    "Wrong on purpose: this stand-in sends 0 to -1, and NaN as well.",
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
    "The rule on this page is the derivative of $\\sigma$.",
    "It is not the derivative of sign, and no derivation makes it so.",
    "Both are scalars here; on an array the same rule acts on each element.",
    "In types: `grad :: upstream(y) → downstream(x)`.",
    "The sigmoid's slope is small there, but not 0.",
)
@over(mode=MODES, x=arrays((2, 3), numbers(-9, 9)))
def test_the_rule(mode, x):
    found = mode.gradient(sign, x, LOSSES["dense"])
    assert same(found, slope(x.astype(float)) * np.arange(1, 7).reshape(2, 3), 1e-3)
    assert np.all(found > 0) and np.all(EAGER.gradient(tf.sign, x) == 0)


@says(
    "The second line holds because $\\frac{e^{-x}}{1 + e^{-x}} = 1 - \\sigma(x)$.",
    "That of $y$ is 0 wherever it exists, so this is the differential of the surrogate:",
)
@over(x=numbers(-30, 30))
def test_the_other_form(x):
    s = 1 / (1 + np.exp(-np.float64(x)))
    assert np.isclose(
        np.exp(-np.float64(x)) / (1 + np.exp(-np.float64(x))), 1 - s, 1e-3, 1e-15
    )


@says(
    "The loss is $\\frac{1}{2}(y - 2)^2$, so upstream is nowhere 1.",
    "Neither calls the rule.",
    "The stand-in's rule against two computations that never call it.",
    "Against what it claims to be: the slope of $\\sigma$, multiplied by the upstream"
    " gradient at the true $y$.",
    r"`autodiff` is TensorFlow's gradient of the loss with $\sigma(x)$ in place of sign, and with a number added that `tf.stop_gradient` holds constant and that lifts the value to $\operatorname{sign}(x)$; `differences` is upstream times $\frac{\sigma(x + h) - \sigma(x - h)}{2h} = \sigma'(x) + O(h^2)$.",
    "The value of sign; autodiff sees the sigmoid alone.",
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
    "The surrogate is checked against differences of sign.",
    "Such a check must fail.",
    r"Away from 0 the differences are 0; across 0 they are $\frac{1 - (-1)}{2h} = \frac{1}{h}$, which is 1024 for the step $\frac{1}{1024}$ of `tf.test.compute_gradient` and grows without bound as $h$ shrinks.",
    "A rule that passed would be 0 again, and useless.",
    "`check.py` above compares with the surrogate.",
    "Wrong on purpose: a surrogate checked against differences of sign.",
)
@over(h=numbers(1e-30, 1), x=numbers(-9, 9))
def test_differences_of_sign(h, x):
    if abs(x) > h:
        assert (np.sign(x + h) - np.sign(x - h)) / (2 * h) == 0 != slope(x)
    at_0 = (np.sign(h) - np.sign(-h)) / (2 * h)
    assert at_0 == 1 / h and (np.sign(h / 2) - np.sign(-h / 2)) / h == 2 / h
    *_, differences, passes = trace("wrong/gradcheck.py")
    assert (
        differences["differences"] == [0, 1024, 0] and passes["check passes"] == "False"
    )


@says(
    "(`tf.test.compute_gradient` returns whole Jacobians; of an elementwise function the"
    " diagonal holds the slopes.)"
)
def test_compute_gradient_returns_jacobians():
    for [jacobian] in tf.test.compute_gradient(
        tf.square, [tf.constant([-1.0, 1.0, 3.0])]
    ):
        assert same(jacobian, np.diag([-2, 2, 6]), 1e-3)


@says(
    r"Another surrogate for sign, $y_i = \operatorname{sign}(x_i)$, is the clipped line $\tilde y_i = \min(1, \max(-1, x_i))$, with slope 1 between −1 and 1 and slope 0 outside.",
    "At both ends the line has no derivative; `tf.clip_by_value` passes the gradient there"
    " too, so the two agree.",
    "A rule with this surrogate is one form of the straight-through estimator [Bengio et"
    " al., 2013]: between −1 and 1, upstream goes straight through sign.",
    "The bracket is 1 if the condition holds and 0 if not:",
    "Solution: another stand-in for sign, with the slope of a clipped line.",
)
@over(mode=MODES, dtype=FLOATS, x=numbers(-9, 9, around=[-1, 1]))
def test_the_clipped_line(mode, dtype, x):
    x = tf.cast(x, dtype)
    one = tf.cast(1, dtype)
    found = mode.gradient(lambda x: tf.clip_by_value(x, -one, one), x)
    assert same(found, 1.0 if abs(x) <= 1 else 0.0)


@says(
    "At 3 upstream is 3 and downstream is 0: a value outside the window no longer moves."
)
def test_the_solution():
    x, upstream, _, downstream = trace("solution.py")[:4]
    assert x.numbers[-1] == upstream.numbers[-1] == 3 and downstream.numbers == [
        1,
        1,
        2,
        3,
        0,
    ]


definition(
    "So the rule uses the slope of another function, the surrogate $\\tilde y = \\sigma(x)$.",
    "The function with the value of sign and the slope of its surrogate is called the"
    " stand-in below.",
    "Choosing it is a decision; the four steps say what follows from it.",
    "Here $\\d \\tilde y$ stands in for $\\d y$, and $:=$ marks the only place where that is"
    " decided:",
    "In the code, `upstream` is $\\upstream{\\bar y}$, `y_tilde` is $\\sigma(x)$, `local` is"
    " $\\local{\\sigma(x)(1 - \\sigma(x))}$, and `downstream` is $\\downstream{\\bar x}$.",
    "One number in, one number out, and beside it the surrogate, which is never computed as"
    " an output:",
)
advice(
    "You need the four steps of the chain rule and the sigmoid"
    " $\\sigma(x) = \\frac{1}{1 + e^{-x}}$.",
    "Write its rule; count both ends as inside.",
    r"With the loss $L = \frac{1}{2} \sum_i (y_i + 2)^2$, predict upstream, local and downstream at $x = (-1, -0.5, 0, 1, 3)$.",
)
pointer(
    "This page gives sign another way back: the value of sign forward, the slope of a sigmoid"
    " backward.",
    "The exercise uses vectors.",
)
