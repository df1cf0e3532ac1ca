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
    "`tf.sign` has the …",
    "Put it inside …",
    "The gradient is …",
    "Wrong on purpose: the …",
)
@over(mode=MODES, dtype=FLOATS, x=numbers(finite=False), scale=numbers())
def test_the_gradient_of_sign(mode, dtype, x, scale):
    def loss(y):
        return scale * tf.cast(y, tf.float32)

    assert same(mode.gradient(tf.sign, tf.cast(x, dtype), loss), 0.0)


@says("`tf.sign` itself is …", "`sign.py` above is …")
def test_the_way_out():
    assert trace("wrong/tf_sign.py")[-1].numbers == [0] * 5
    assert all(
        line["gradient"] > 0 for line in trace("sign.py").starting("alone", "in loss")
    )


@says(
    "At $x = 3$ …",
    "$x = 3$, alone: …",
    "Upstream is 1.",
    "$x = 3$, in …",
    "$x = 0$: …",
    "The slope is …",
    "The program asks …",
    "A stand-in for …",
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
    "It too rises …",
    "In float32 the …",
    was="'it has a slope everywhere': s * (1 - s) is 0 in float32 at x = 17",
)
@over(x=numbers(-80, 40, around=[17]), mode=MODES)
def test_where_the_surrogate_has_a_slope(x, mode):
    assert slope(np.float64(x)) > 0
    assert (mode.gradient(sign, x) > 0) == (x < 17) or 16 < x < 17


@says(
    "The function forward …",
    "Its derivative is …",
    "`tf.sign` keeps both.",
    "It also turns …",
    "`tf.where(x > 0, 1, -1)` …",
    "The forward value …",
    "Wrong on purpose: this …",
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
    "The rule on …",
    "It is not …",
    "Both are scalars …",
    "In types: `grad :: upstream(y) → downstream(x)`.",
    "The sigmoid's slope …",
)
@over(mode=MODES, x=arrays((2, 3), numbers(-9, 9)))
def test_the_rule(mode, x):
    found = mode.gradient(sign, x, LOSSES["dense"])
    assert same(found, slope(x.astype(float)) * np.arange(1, 7).reshape(2, 3), 1e-3)
    assert np.all(found > 0) and np.all(EAGER.gradient(tf.sign, x) == 0)


@says(
    "The second line …",
    "That of $y$ …",
)
@over(x=numbers(-30, 30))
def test_the_other_form(x):
    s = 1 / (1 + np.exp(-np.float64(x)))
    assert np.isclose(
        np.exp(-np.float64(x)) / (1 + np.exp(-np.float64(x))), 1 - s, 1e-3, 1e-15
    )


@says(
    "The loss is …",
    "Neither calls the rule.",
    "The stand-in's rule …",
    "Against what it …",
    "`autodiff` is TensorFlow's …",
    "The value of …",
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
    "The surrogate is …",
    "Such a check …",
    "Away from 0 …",
    "A rule that …",
    "`check.py` above compares …",
    "Wrong on purpose: a …",
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


@says("(`tf.test.compute_gradient` returns whole …")
def test_compute_gradient_returns_jacobians():
    for [jacobian] in tf.test.compute_gradient(
        tf.square, [tf.constant([-1.0, 1.0, 3.0])]
    ):
        assert same(jacobian, np.diag([-2, 2, 6]), 1e-3)


@says(
    "Another surrogate for …",
    "At both ends …",
    "A rule with …",
    "The bracket is …",
    "Solution: another stand-in …",
)
@over(mode=MODES, dtype=FLOATS, x=numbers(-9, 9, around=[-1, 1]))
def test_the_clipped_line(mode, dtype, x):
    x = tf.cast(x, dtype)
    one = tf.cast(1, dtype)
    found = mode.gradient(lambda x: tf.clip_by_value(x, -one, one), x)
    assert same(found, 1.0 if abs(x) <= 1 else 0.0)


@says("At 3 upstream …")
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
    "So the rule …",
    "The function with …",
    "Choosing it is …",
    r"Here $\d \tilde y$ …",
    "In the code, …",
    "One number in, …",
)
advice(
    "You need the …",
    "Write its rule; …",
    "With the loss …",
)
pointer(
    "This page gives …",
    "The exercise uses vectors.",
)
