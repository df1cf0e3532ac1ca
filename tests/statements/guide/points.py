"""What the page on points without a derivative says in words."""

import functools
import unittest
import warnings

from truth.statements.tries import *

COMPILED = [XLA, AROUND_XLA]
TINY = np.finfo(np.float32).tiny
CASES = {each.name: (each, tf.float32) for each in MODES}
CASES |= {each.name: (EAGER, each) for each in FLOATS}
WAYS = program("ways.py").WAYS
OTHERS = {
    "selu": (tf.nn.selu, 0),
    "pole": (lambda x: 1 / x, 0),
    "jump": (lambda x: tf.atan(1 / x), 0),
    "asin": (tf.asin, 1),
    "acosh": (tf.acosh, 1),
    "log1p": (tf.math.log1p, -1),
    "power": (lambda x: x**0.5, 0),
}
ROWS = [
    (each.text[:24].strip(), each.text[24:].split()) for each in trace("table.py")[1:]
]
SUBGRADIENT = program("subgradient.py")


def value(text):
    return None if text == "None" else float(text)


@functools.lru_cache
def found(mode, dtype):
    """The gradients of the eleven ways, of the rows of the table, and of others, each
    at its own number, from one graph: of compiled ones each takes a second."""
    table = program("table.py")
    names = table.gradient.__globals__
    names["ZERO"], names["ONE"] = tf.zeros([], dtype), tf.ones([], dtype)
    asked = [(f, at) for _, at, f in table.ROWS] + [(f, 0) for f in WAYS.values()]
    functions, places = zip(*asked, *OTHERS.values())
    places = [tf.cast(each, dtype) for each in places]
    gradients = mode.gradients(together(*functions), *places)
    gradients = [None if each is None else float(each) for each in gradients]
    rows, ways, others = np.split(gradients, np.cumsum([len(ROWS), len(WAYS)]))
    return rows, dict(zip(WAYS, ways)), dict(zip(OTHERS, others))


@functools.lru_cache
def together(*functions, of=1):
    """Many functions of one or two tensors as one, so that one graph has them all."""

    def total(*xs):
        given = [xs[at : at + of] for at in range(0, len(xs), of)]
        return tf.add_n([tf.reduce_sum(f(*x)) for f, x in zip(functions, given)])

    return total


def pieces(*slopes):
    """A convex function with a kink at 0, where its pieces meet."""
    return lambda x: tf.reduce_max([slope * x for slope in slopes], 0)


# Eleven ways, and the table.


@says(
    "The program writes …",
    "All eleven return …",
    "One function, |x|, …",
    was="'for every $x$': sqrt(x**2) is inf at 1e30 and 0 at 1e-30",
)
@over(x=st.just(0.0) | numbers(1.1e-19, 1.8e19) | numbers(-1.8e19, -1.1e-19), cases=30)
def test_eleven_ways(x):
    assert len(WAYS) == 11 == len(trace("ways.py")) - 1
    assert all(same(f(tf.constant(x)), abs(x), 1e-6) for f in WAYS.values())
    root = WAYS["sqrt(x**2)"]
    assert root(tf.constant(1e30)) == np.inf and root(tf.constant(1e-30)) == 0


@says(
    "At 0 TensorFlow …",
    "$|x|$ has no …",
    "The tape then …",
)
@over(case=CASES)
def test_the_eleven_gradients_at_0(case):
    _, ways, _ = found(*case)
    shown = [each.numbers[-3:] for each in trace("ways.py")[1:]]
    assert same([*ways.values()], [at_0 for at_0, *_ in shown])
    assert same(shown, [[each] * 3 for each in ways.values()])
    four = ("abs(x)", "maximum(x, -x)", "where(x > 0, x, -x)", "sqrt(x**2)")
    assert same([ways[each] for each in four], [0, 1, -1, np.nan])
    assert np.isfinite([*ways.values()]).sum() > len(ways) / 2


@says(
    "Zeros and equal …",
    "Padded rows, dark …",
    "Moreover, inputs that …",
)
@over(x=numbers(1e-3, 1e3), dtype=FLOATS)
def test_zeros_and_ties(x, dtype):
    x = tf.cast([x, -x], dtype)
    padded, flat, rounded = tf.pad(x, [[0, 1]]), tf.nn.relu(x), tf.round(x / (8 * x))
    assert [padded[2], flat[1], *rounded] == [0] * 4
    assert tf.maximum(x[0], -x[1]) == tf.minimum(x[0], -x[1])


@says(
    "To find out …",
    "At a kink, both …",
    "At a discontinuity …",
    "This also happens …",
    "At the end of the …",
    "The slope on …",
    "The program measures …",
    "The quotient at …",
    "One-sided slopes, and …",
)
def test_one_sided_slopes():
    table = program("table.py")
    for (_, [at, left, right, *_, kind]), (_, _, f) in zip(ROWS, table.ROWS):
        at = tf.constant(float(at), tf.float64)
        quotients = [
            [((f(at + s * h) - f(at)) / (s * h)).numpy() for h in (1e-8, 1e-10)]
            for s in (-1, 1)
        ]
        missing, finite = np.isnan(quotients).any(1), np.ptp(quotients, 1) < 0.01
        grow = np.abs(quotients)[:, 1] > 1.5 * np.abs(quotients)[:, 0]
        kind = {"end": "domain"}.get(kind, kind)
        assert any(missing) == (kind == "domain")
        if kind in ("left", "right", "middle", "neither"):
            assert all(finite) and float(left) != float(right)
        assert kind != "discontinuity" or any(grow)
        assert same(np.isnan([float(left), float(right)]), missing)
    ends = dict(ROWS)
    assert ends["x**1.5"][2] == "0.000" and ends["sqrt(x)"][2] == "inf"
    cbrt = [np.cbrt(h) / h for h in (1e-3, 1e-6, 1e-9)]
    assert cbrt[0] < cbrt[1] < cbrt[2]


@says(
    "At a kink, the gradient …",
    "The choices follow …",
    "The choice at …",
    "The graph agrees …",
    "At kinks, TensorFlow …",
    "At its upper …",
    "In contrast, `tf.clip_by_value` …",
    "An exception is …",
    "Also at 0, …",
    "At the discontinuities …",
    "At the end of a …",
    "`xlogy(x, x)`, $x$ …",
    "`x**0` is constant, …",
    "`softplus`, `elu` and …",
    "For all three, …",
)
@over(case=CASES)
def test_the_table(case):
    for (name, row), got in zip(ROWS, found(*case)[0]):
        _, left, right, shown, graph, *kind = row
        assert same(got, value(shown), 1e-2) and graph == "same"
        left, right = float(left), float(right)
        sides = {"left": left, "right": right, "middle": (left + right) / 2}
        if kind[0] == "kink," and "norm" not in name:
            assert same(got, sides[kind[-1]], 1e-2)
        elif kind[0] == "discontinuity":
            assert got is None or np.isfinite(got)
        elif kind[0] == "end":
            assert (got in (left, right)) == (name != "xlogy(x, x)")
        else:
            wrong = "norm" in name or name == "x**0"
            assert same(got, np.nan if wrong else left, 1e-2)


@says(
    "`tf.nn.selu` isn't in …",
    "Outside the table, …",
    "At 0, `1 / x` …",
    "At the end of a …",
    was=(
        "'get a finite number or None': the pole of 1 / x gets -inf",
        "'kinks get', as if alike in each mode: selu does not",
    ),
)
@over(case=CASES)
def test_outside_the_table(case):
    selu, pole, jump, *ends = found(*case)[2].values()
    assert same(selu, 1.0507 * (1.67326 if case[0] in COMPILED else 1), 1e-2)
    assert not any(" / " in name for name, _ in ROWS)
    assert pole == -np.inf and np.isnan(jump) and ends == [np.inf] * 4


@says(
    "At the discontinuities …",
    "`None` means that …",
)
@over(graph=[False, True], x=[0.3, -1e30])
def test_no_warning(graph, x):
    rows = program("table.py").ROWS
    asked = [each for each in rows if dict(ROWS)[each[0]][-1] == "discontinuity"]
    asked += [("total", 0, lambda x: TOTAL(x, x)), ("line", 0, LINE), ("one", 0, ONE)]
    gradient = program("table.py").gradient
    in_graph = tf.function(gradient, autograph=False).get_concrete_function
    with unittest.TestCase().assertNoLogs("tensorflow"), warnings.catch_warnings():
        warnings.simplefilter("error")
        for name, jump, f in asked:
            for place in (jump, x):
                at = tf.constant(place, tf.float64)
                found = in_graph(f, at)(at) if graph else gradient(f, at)
                assert (found is None) == (name == "round(x)")


@says("At a kink, the gradient …")
@over(mode=MODES)
def test_between(mode):
    tie = lambda x: tf.reduce_max(tf.stack([x, 0.0 * x, 0.0 * x]))  # noqa: E731
    assert same(mode.gradient(tie, 0.0), 1 / 3, 1e-6)


@says("If its two …")
@over(case=CASES, x=arrays(3))
def test_maximum_at_a_tie(case, x):
    mode, dtype = case
    x = tf.cast(x, dtype)
    assert same(mode.gradients(tf.maximum, x, x), [tf.ones(3), tf.zeros(3)])


@says("This NaN isn't …")
@over(x=st.floats(0.1, 9), power=[0.0, 2.0, 3.0])
def test_the_rule_of_a_power(x, power):
    rule = lambda x: tf.constant(power) * tf.constant(x) ** (power - 1)  # noqa: E731
    assert same(EAGER.gradient(lambda x: x**power, x), rule(x), 1e-5)
    assert same(EAGER.gradient(lambda x: x**power, 0.0), rule(0.0))
    assert tf.constant(0.0) ** -1.0 == np.inf


@says(
    "Six graphs, each …",
    "In each graph of …",
    "Six points without …",
)
def test_the_figure():
    light, _ = drawn("figure.py")
    found = {}
    for axes in light.axes:
        curve, short, point = (np.array(each.get_data()) for each in axes.lines)
        across, up = short[:, 1] - short[:, 0]
        at, high = point[:, 0]
        assert same(short.mean(1), [at, high], 1e-6) and axes.lines[1].get_lw() > 2
        beside = [np.interp(at + h, *curve) for h in (-0.1, 0, 0.1)]
        found[axes.get_title().partition("(")[0]] = up / across, *np.diff(beside) / 0.1
    assert len(found) == 6 and same(found["abs"], (0, -1, 1), 1e-3)
    assert np.allclose(found["relu"], (0, 0, 1), atol=1e-3)
    assert same(found["maximum"], (1, -1, 1), 1e-3)
    assert np.allclose(found["clip_by_value"], (1, 1, 0), atol=1e-3)
    assert found["sign"][0] == 0 and abs(found["sqrt"][0]) > 1e6


# Subgradients.


@says("The tangent of …")
@over(x=st.floats(-5, 5), y=st.floats(-9, 9), f=[tf.exp, tf.square, tf.nn.softplus])
def test_a_tangent(x, y, f):
    x, y = tf.constant(x, tf.float64), tf.constant(y, tf.float64)
    slope = EAGER.gradient(f, x)
    assert f(y) >= f(x) + slope * (y - x) - 1e-9
    assert -f(x) - slope * (y - x) >= -f(y) - 1e-9


@says(
    "At a kink there is …",
    "To find all …",
    "The slopes of a convex …",
    "They approach the …",
    "The two results …",
    "So the subgradients …",
    "If the two …",
    "For relu, abs …",
    "NaN is never …",
    "The program tests the …",
    "Which lines lie …",
    "f(y) >= f(0) …",
)
@over(slopes=st.lists(st.integers(-4, 4), min_size=1, max_size=4), g=st.integers(-9, 9))
def test_the_subgradients(slopes, g):
    f, one = pieces(*slopes), SUBGRADIENT.is_subgradient
    grid = tf.constant(np.linspace(-3, 3, 601))
    right, left = (
        ((f(s * h) - f(0 * h)) / (s * h)).numpy()
        for s, h in ((1, grid[301:]), (-1, -grid[:300]))
    )
    assert one(f, g) == (max(left) - 1e-9 <= g <= min(right) + 1e-9)
    assert one(f, g) == (min(slopes) <= g <= max(slopes)) and not one(f, np.nan)
    for name in ("relu(x)", "abs(x)", "maximum(x, -x)", "reduce_max([x, 0])"):
        function = SUBGRADIENT.FUNCTIONS[name]
        assert one(function, EAGER.gradient(function, 0.0))


@says(
    "If you build …",
    r"$\operatorname{relu}(x) - \operatorname{relu}(-x)$ …",
    "But TensorFlow returns …",
    "If you add …",
    "The rule doesn't …",
    "`tf.minimum` alone has …",
    "At such a …",
)
@over(
    mode=MODES,
    parts=st.lists(
        st.lists(st.integers(-4, 4), min_size=2, max_size=3), min_size=2, max_size=2
    ),
    g=st.integers(-9, 9),
)
def test_sums_and_differences(mode, parts, g):
    one = SUBGRADIENT.is_subgradient
    names = "relu(x) - relu(-x)", "max(x, 0) + min(x, 0)", "minimum(x, 0)"
    *lines, roof = (SUBGRADIENT.FUNCTIONS[each] for each in names)
    found = mode.gradients(together(*lines, roof), 0.0, 0.0, 0.0)
    assert found[:2] == [0, 2] and 0 <= found[2] <= 1 and not one(roof, g)
    for line in lines:
        assert one(line, g) == (g == 1)
        assert same(line(SUBGRADIENT.grid), SUBGRADIENT.grid)
    total = lambda x: tf.add_n([pieces(*each)(x) for each in parts])  # noqa: E731
    assert one(total, EAGER.gradient(total, 0.0))


PIECES = {
    "max and min": lambda x, y: tf.maximum(x, y) + tf.minimum(x, y),
    "relus": lambda x, y: tf.nn.relu(x - y) - tf.nn.relu(y - x),
    "abs": lambda x, y: tf.abs(x) * y - tf.abs(y),
    "clip": lambda x, y: tf.clip_by_value(x * y, -1.0, y),
    "sort": lambda x, y: tf.reduce_sum(
        tf.sort([x, y, x], 0) * [[1.0], [2.0], [4.0]], 0
    ),
    "reduce_max": lambda x, y: tf.reduce_max([x, y, 0.0 * x], 0),
}


@says(
    "Suppose that each …",
    "Then the set …",
    "If an operation …",
    "For example, `tf.norm` …",
    was=(
        "'have no volume': tf.norm of one relu is NaN for half of all numbers",
        "'is NaN for half of all numbers': under XLA it is 0",
    ),
)
@over(outer=list(PIECES.values()), inner=list(PIECES.values()))
def test_no_volume(outer, inner):
    """The inner pieces, cut by relu, are both 0 for a part of all points."""
    points, v = tf.constant(np.random.standard_normal([2, 2, 300]))

    def f(x):
        x, y = x[0], x[1]
        return outer(tf.nn.relu(inner(x, y)), tf.nn.relu(inner(y, x))) * x

    claimed = tf.reduce_sum(v * EAGER.gradient(f, points), 0)
    slopes = (f(points + 1e-6 * v) - f(points - 1e-6 * v)) / 2e-6
    assert np.allclose(claimed, slopes, 1e-5, 1e-6)


@says(
    "Suppose that each …",
    was="without 'in every direction': 1 and 1 at a tie gives max(x, x) the slope 2",
)
@over(x=numbers(-9, 9))
def test_between_along_the_axes_only(x):
    @tf.custom_gradient
    def maximum(x, y):
        def grad(upstream):
            return tf.where(x >= y, upstream, 0.0), tf.where(y >= x, upstream, 0.0)

        return tf.maximum(x, y), grad

    assert EAGER.gradient(lambda x: maximum(x, x), x) == 2


@says(
    "If an operation …",
    "For example, `tf.norm` …",
)
@over(mode=MODES, x=arrays(1, numbers(-9, 0) | numbers(1e-3, 9)))
def test_the_norm_of_a_relu(mode, x):
    found = mode.gradient(NORM_OF_RELU, x)
    assert same(found, [1 if x > 0 else 0 if mode in COMPILED else np.nan])


@says("If $k$ numbers …", "The shares aren't …", "All other numbers …")
@over(x=arrays(4, st.integers(0, 2)), g=arrays(4, st.integers(-1, 3)), cases=200)
def test_the_subgradients_of_a_maximum(x, g):
    steps = np.random.default_rng(0).standard_normal([200, 4])
    steps = np.concatenate(
        [steps, *(s * np.eye(4) for s in (1, -1)), *2 * [np.ones([1, 4])]]
    )
    steps[-1] = -1
    g = g / 3
    is_one = np.all(np.max(x + 0.1 * steps, 1) >= np.max(x) + 0.1 * steps @ g - 1e-6)
    others = np.max(g[x < np.max(x)], initial=0)
    shares = np.all(g >= 0) and abs(np.sum(g) - 1) < 1e-6 and others == 0
    assert is_one == shares


@says(
    "All rows are …",
    "`tf.reduce_max` shares equally, …",
    "Equal shares treat …",
    "Ties: who gets …",
)
@over(mode=MODES, x=arrays(5, st.integers(0, 2)), cases=24)
def test_ties(mode, x):
    largest = np.flatnonzero(x == np.max(x))
    rows = [each.numbers for each in trace("ties.py")[:8]]
    assert all(min(r[-6:-2]) >= 0 and abs(sum(r[-6:-2]) - 1) < 1e-3 for r in rows)
    first, last = (np.eye(5)[largest[at]] for at in (0, -1))
    shared = (x == np.max(x)) / len(largest)
    found = mode.gradients(together(*LARGEST, tf.reduce_max), x, x, x, x[::-1].copy())
    assert same(found, [shared, first, last, shared[::-1]], 1e-6)


LARGEST = [
    tf.reduce_max,
    lambda x: tf.math.top_k(x, 1).values,
    lambda x: tf.sort(x)[-1],
]
NORM_OF_RELU = lambda x: tf.norm(tf.nn.relu(x))  # noqa: E731


@says(
    "Compare three shares …",
    "The shares add …",
    "So equal shares …",
    "The left side …",
    "This means that …",
)
@over(g=arrays(3, st.floats(-2, 2)))
def test_the_shortest_share(g):
    g = np.append(g[:2], 1 - g[0] - g[1]).astype(float)
    left = np.sum((g - 1 / 3) ** 2)
    assert abs(-2 / 3 * np.sum(g) + 1 / 3 + 1 / 3) < 1e-6
    assert abs(np.sum(g**2) - left - 1 / 3) < 1e-6
    assert (left < 1e-12) == np.allclose(g, 1 / 3, atol=1e-6)
    assert trace("ties.py")[0].numbers[-1] == 0.5774 == round(np.sqrt(1 / 3), 4)


@says("Moreover, a small …", "In contrast, if …")
@over(x=arrays(5, st.integers(0, 2)), step=st.floats(0.001, 0.5))
def test_a_step(x, step):
    shared, first = (EAGER.gradient(f, x) for f in LARGEST[:2])
    assert np.max(x - step * shared) < np.max(x)
    tied = np.sum(x == np.max(x)) > 1
    assert (np.max(x - step * first) == np.max(x)) == tied
    assert [each.numbers[-1] for each in trace("ties.py")[-2:]] == [0.9, 1.0]


# The norm.


@says(
    "The input is …",
    "The square of …",
    "Write the differential …",
    "You can only …",
    "So `grad` receives …",
    "It returns a …",
    "The 2-norm with …",
)
@over(
    mode=MODES, x=arrays(2, numbers(1, 9) | numbers(-9, -1)), upstream=st.floats(-9, 9)
)
def test_the_rule_of_the_norm(mode, x, upstream):
    r = np.linalg.norm(x)
    found = mode.gradient(NORM, x, weighted(upstream))
    assert same(found, np.float32(upstream) * x / r, 1e-5)
    assert same(mode.gradient(NORM, [0.0, 0.0], weighted(upstream)), [0.0, 0.0])
    assert np.isnan(x * 0 / np.linalg.norm(x * 0)).all()


NORM = program("norm.py").make([0.0, 0.0])


@functools.lru_cache
def weighted(upstream):
    return lambda y: y * upstream


@says(
    "At 0, use …",
    "The Cauchy–Schwarz inequality …",
    "So a vector …",
    "A longer vector …",
    "For $z = g$, …",
)
@over(g=arrays(3, numbers(-1, 1)), seed=st.integers(0, 99), cases=60)
def test_the_subgradients_of_the_norm(g, seed):
    g = g.astype(float)
    z = np.random.default_rng(seed).standard_normal([100, 3])
    length = np.linalg.norm(g)
    below = np.linalg.norm(z, axis=1) >= z @ g - 1e-9
    assert length > 1 or below.all()
    assert same(g @ g, length**2, 1e-9) and (g @ g > length) == (length > 1)


@says(
    "At the zero …",
    "Near 0, the …",
    "The zero vector …",
    "It is the shortest …",
    "All other possible …",
)
@over(angle=st.floats(0, 6.28), g=arrays(2, numbers(-0.7, 0.7)))
def test_the_center(angle, g):
    """The center of the unit vectors; the shortest; the same along each direction."""
    around = angle + np.arange(12) * np.pi / 6
    points = 1e-3 * np.stack([np.cos(around), np.sin(around)], 1)
    gradients = [EAGER.gradient(tf.norm, each) for each in points]
    assert np.allclose(gradients, 1e3 * points) and np.allclose(sum(gradients), 0)
    claims = points @ g
    assert (np.ptp(claims) == 0) == (not g.any())


@says(
    "In a custom …",
    "Below, the argument …",
    "The backward pass of …",
    "In each block, …",
    "To choose the …",
    "At 0, `local` …",
    "At all other …",
    "For example, for the …",
    "At $(3, 4)$, …",
    "The code accepts …",
    "The last lines …",
)
@over(mode=MODES, at_zero=[[0.6, -0.8], [6.0, 9.0]])
def test_the_choice(mode, at_zero):
    norm = program("norm.py").make(at_zero)
    assert same(
        mode.gradient(norm, [0.0, 0.0], weighted(10.0)), 10 * np.array(at_zero), 1e-6
    )
    lines = trace("norm.py")
    for at, local in ((1, [0.6, 0.8]), (2, [0, 0]), (5, [0.6, -0.8])):
        assert lines[at].numbers == [10, *local, *(10 * each for each in local)]
    assert [each.text[-5:].strip() for each in lines[-3:]] == ["True", "True", "False"]
    assert lines[-1].numbers[-1] == 1.0817 == round(np.hypot(0.6, 0.9), 4)


@says(
    "The inner `tf.where` …",
    "This pattern is …",
    "If the squares …",
    was="'and for a second derivative at 0': it is 0 with this norm, too",
)
@over(mode=[EAGER, INSIDE, XLA], inner=[True, False])
def test_the_double_where(mode, inner):
    def norm(x):
        zero = tf.reduce_all(x == 0.0)
        safe = tf.where(zero, tf.ones_like(x), x) if inner else x
        r = tf.sqrt(tf.reduce_sum(safe * safe))
        return tf.where(zero, tf.zeros_like(r), r)

    def first(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = norm(x)
        return tape.gradient(y, x)

    zero = [0.0, 0.0]
    second = mode.gradient(first, zero)
    assert same(second, zero if inner else [np.nan] * 2)
    assert same(mode.gradient(norm, zero), zero) or (not inner and mode in COMPILED)
    large, small = (tf.constant([each] * 2) for each in (1e30, 1e-30))
    assert NORM(large) == np.inf and not any(EAGER.gradient(NORM, large))
    assert NORM(small) == 0 and all(EAGER.gradient(NORM, small) == np.inf)


BENDS = {
    str(slopes): (slopes, program("minimizer.py").bend(*slopes))
    for slopes in ((0.0, 1.0, 0.5), (-1.0, 1.0, 0.0), (2.0, -3.0, 7.0))
}


@says(
    "In the next …",
    "Gradient descent then …",
)
@over(mode=MODES, bend=BENDS, x=arrays(3, numbers(-1e30, 1e30)))
def test_a_bend(mode, bend, x):
    (left, right, at_zero), function = bend
    x[np.abs(x) < TINY] = x[0] = 0  # TensorFlow takes subnormal numbers for 0
    slopes = np.where(x > 0, right, np.where(x < 0, left, at_zero))
    assert same(function(tf.constant(x)), slopes * x, 1e-6)
    assert same(mode.gradient(function, x), slopes)
    assert left or np.isnan(function(tf.constant(-np.inf)))


# Minimizers.


@says(
    "At a kink every …",
    "The iteration reaches …",
    "From 0.5 in …",
    "With slope 0 …",
    "From 0.6, the …",
    "In this case, …",
    "How the slope at 0 …",
)
@over(slope=st.just(0.0) | st.floats(0.01, 1) | st.floats(-1, -0.01))
def test_coming_to_a_kink(slope):
    program_ = program("minimizer.py")
    f = program_.bend(-1.0, 1.0, slope)
    path = program_.descend(f, 0.5, lambda k: 0.25, 6)
    assert path[:2] == [0.25, 0] and (path[2] == 0) == (slope == 0)
    over_ = program_.descend(f, 0.6, lambda k: 0.25, 30)
    assert 0 not in over_ and all(a * b < 0 for a, b in zip(over_[2:], over_[3:]))
    smaller = program_.descend(f, 0.6, lambda k: 0.25 / (k + 1), 30)
    assert abs(smaller[-1]) < 0.02 < min(map(abs, over_))


@says(
    "The kink is …",
    "The second function …",
    "With the slope 0 for …",
    "At a minimum some …",
    "With the slope 0.3 for …",
)
@over(slope=[0.0, 0.1, 0.3, 1.0], x=numbers(-9, 9))
def test_at_a_minimum(slope, x):
    minimizer = program("minimizer.py")
    bend = minimizer.bend(-1.0, 1.0, slope)
    f = lambda x: bend(x) + 0.5 * (x - 0.3) ** 2  # noqa: E731
    assert f(tf.constant(x)) >= f(tf.constant(0.0)) - 1e-7
    assert same(EAGER.gradient(f, 0.0), np.float32(slope) - np.float32(0.3), 1e-6)
    path = minimizer.descend(f, 0.0, lambda k: 0.25, 4)
    assert (max(map(abs, path)) > 0.04) == (path[0] != 0) == (slope != 0.3)


@says(
    "The iteration starts …",
    "TensorFlow chooses the …",
    "With the slope ½ …",
)
@over(
    optimizer=["SGD", "Adam", "RMSprop", "Adagrad"],
    slope=[0.0, 0.5, 1.0],
    y=st.floats(0.5, 9),
)
def test_starting_on_a_kink(optimizer, slope, y):
    f = program("minimizer.py").bend(0.0, 1.0, slope) if slope else tf.nn.relu
    w = tf.Variable(0.0)
    steps = getattr(tf.keras.optimizers, optimizer)(0.1)
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = 0.5 * (f(w) - y) ** 2
        steps.apply([tape.gradient(loss, w)], [w])
    assert (w == 0) == (slope == 0)


# The check.

CHECK = program("check.py")


@says(
    "For each direction, the …",
    "Central differences return …",
    "For each direction $v$, …",
    "For a convex …",
    "Where there is …",
    "A check for …",
)
@over(g=arrays(3, st.sampled_from([-1.5, -1.0, -0.5, 0.0, 0.25, 0.5, 1.0])), cases=40)
def test_the_check(g):
    """The largest at a tie, the sum of absolute numbers, and of the last the slopes
    off its kinks."""
    g = g.astype(float)
    directions = [*np.eye(3), np.ones(3), *np.random.standard_normal([4, 3])]
    total = lambda x: tf.reduce_sum(tf.abs(x))  # noqa: E731
    for f, is_one in (
        (tf.reduce_max, min(g) >= 0 and sum(g) == 1),
        (total, max(abs(g)) <= 1),
    ):
        passed = CHECK.count(f, tf.zeros(3, tf.float64), g, directions)
        assert (passed == len(directions)) == is_one
    x = tf.constant([1.0, -2.0, 3.0], tf.float64)
    passed = CHECK.count(total, x, g, directions)
    assert (passed == len(directions)) == same(g, tf.sign(x))
    middle = [(total(s) - total(-s)) / 2 for s in 1e-6 * np.eye(3)]
    assert middle == [0, 0, 0]


@says(
    "For each direction, the …",
    "Along an axis, …",
    "For the norm, the vector …",
    "In these directions, …",
    "At a kink, the slopes …",
    "So use directions …",
    "The program tests TensorFlow's …",
)
@over(tied=st.integers(2, 5), g=st.floats(0, 1))
def test_along_the_axes(tied, g):
    zero, axes = tf.zeros(tied, tf.float64), np.eye(tied)
    for f in (tf.reduce_max, tf.norm):
        assert CHECK.count(f, zero, np.full(tied, g), axes) == tied
    ones = [np.ones(tied), -np.ones(tied)]
    passes = CHECK.count(tf.reduce_max, zero, np.full(tied, g), ones) == 2
    assert passes == (abs(g * tied - 1) <= 1e-4)
    rows = {e.text[:26].strip(): e.numbers[-4:] for e in trace("check.py")[1:]}
    for name in (
        "reduce_max, one half each",
        "reduce_max, all to each",
        "norm, 0.7 each",
    ):
        on_axes, three, random, hundred = rows[name]
        assert on_axes == three == 3 and random < hundred == 100
    assert np.linalg.norm([0.7] * 3) > 1 > np.linalg.norm([0.5] * 3)
    neither = [np.full(3, each) @ np.ones(3) <= 1 for each in (0.5, 1.0)]
    assert neither == [False, False]


@says(
    "A function that …",
    "For example, take …",
    "Along both axes …",
    "But along $(1, …",
    "The median is …",
    "For such a …",
)
@over(
    cases=10,
    v=arrays(2, numbers(-9, 9)),
    t=st.floats(-9, 9),
    g=arrays(2, st.integers(-2, 2)),
)
def test_the_median(v, t, g):
    median = lambda x: tf.sort(tf.concat([x, x[:1] * 0], 0))[1]  # noqa: E731
    v, t = v.astype(float), float(t)
    assert abs(median(t * v) - t * median(v)) < 1e-6
    assert median(t * np.eye(2)[0]) == median(t * np.eye(2)[1]) == 0
    assert median(np.ones(2)) == 1
    directions = [*np.eye(2), np.ones(2)]
    zero = tf.zeros(2, tf.float64)
    assert CHECK.count(median, zero, g.astype(float), directions) < 3
    assert CHECK.count(median, zero, 0.0 * g, directions) == 2
    near = tf.constant([1.0, 2.0], tf.float64)
    assert CHECK.count(median, near, EAGER.gradient(median, near), directions) == 3


# Where it breaks.


@says(
    "The function in …",
    "At 0 the conditions …",
    "Random numbers don't …",
    "In the last line …",
    "Put zeros and …",
    "At 0 the custom …",
    "Deliberately wrong: a gradient …",
    "The larger of x …",
)
@over(mode=MODES, x=numbers(-1e3, 1e3))
def test_off_its_kinks(mode, x):
    found, right = (mode.gradient(f, x) for f in LEAKY)
    assert same(found, 1.2 if x == 0 else right, 1e-6)
    assert LEAKY[0](tf.constant(x)) == max(x, np.float32(0.2) * np.float32(x))
    random, relu, _, at_0 = (each.numbers for each in trace("wrong/off.py"))
    assert random == [200, 200] and relu[0] < 200 and at_0[1:] == [0.2, 1.0, 1.2]


LEAKY = [program("wrong/off.py").leaky, lambda x: tf.nn.leaky_relu(x, 0.2)]


@says(
    "For example, `tf.test.compute_gradient` …",
)
@over(tied=[1, 2, 3, 4], seed=st.integers(0, 99), cases=8)
def test_the_mean(tied, seed):
    moved = []

    def largest(x):
        moved.append(np.count_nonzero(x))
        return tf.reduce_max(x)

    def claims(f, size):
        [found], [middle] = tf.test.compute_gradient(f, [tf.zeros(size)])
        return found[0], middle[0]

    found, middle = claims(largest, tied)
    assert max(moved) == 1 and moved.count(1) == 2 * tied
    assert same(found, [1 / tied] * tied, 1e-6)
    assert same(middle, [1 / 2 if tied > 1 else 1] * tied)
    if tied == 3:
        assert len(middle) == 3
    z = np.random.default_rng(seed).standard_normal([1000, tied])
    one = [(z.max(1) >= z @ g - 1e-6).all() for g in (found, middle)]
    assert one == [True, tied < 3]


@says(
    "If you build …",
    "For example, `tf.maximum(x, y) …",
    "So write a …",
)
@over(mode=MODES, x=numbers(-1e3, 1e3), y=numbers(-1e3, 1e3))
def test_conventions_do_not_add_up(mode, x, y):
    a, b = np.float32(x), np.float32(y)
    assert TOTAL(a, b) == SHARED(a, b) == a + b
    pairs = mode.gradients(together(TOTAL, TOTAL, SHARED, of=2), x, y, x, x, x, x)
    assert pairs == [*([2, 0] if x == y else [1, 1]), 2, 0, 1, 1]
    found = mode.gradients(together(LINE, ONE), x, x)
    assert same(found, [1, 0] if x else [0, np.nan])
    assert LINE(a) == a and ONE(tf.constant(x)) == 1


SOLUTION = program("solution.py")
TOTAL = lambda x, y: tf.maximum(x, y) + tf.minimum(x, y)  # noqa: E731
SHARED = lambda x, y: SOLUTION.maximum(x, y) + SOLUTION.minimum(x, y)  # noqa: E731
LINE = lambda x: tf.nn.relu(x) - tf.nn.relu(-x)  # noqa: E731
ONE = lambda x: x**0.0  # noqa: E731


@says(
    "This special case …",
    "Compare the gradients in …",
    "In each row but …",
    "Without XLA, the …",
    "It can also …",
    "The power `x**1.5` …",
    "Deliberately wrong: the …",
    was="'in eager mode': so does a graph",
)
@over(mode=MODES)
def test_an_infinite_slope_times_0(mode):
    rows = [each.text[18:].split() for each in trace("wrong/sqrt.py")[1:]]
    slopes = [(f(1e-6) - f(0.0)) * 1e6 for f in ROOTS.values()]
    assert np.allclose(slopes, [float(each[0]) for each in rows], atol=5e-4)
    found = mode.gradients(together(*ROOTS.values()), *[0.0] * len(ROOTS))
    column = 2 if mode in COMPILED else 1
    assert same(found, [float(each[column]) for each in rows])
    hidden = np.nan if mode in COMPILED else 0
    assert same(found[1:4], [hidden] * 3) and found[-1] == 0
    assert list(ROOTS)[-1] == "x**1.5" and mode.gradient(tf.sqrt, 0.0) == np.inf
    x = tf.constant(np.linspace(0, 9, 10), tf.float32)
    assert same(ROOTS["x**1.5"](x), ROOTS["x * sqrt(x)"](x), 1e-6)
    assert same(mode.gradient(tf.sqrt, 4.0), 0.25)


ROOTS = program("wrong/sqrt.py").WAYS


@says(
    "What are the gradients of …",
    "`tf.maximum` returns the …",
    "`tf.reduce_max` shares equally: …",
    "Let the loss be …",
    "The gradient is 0, because …",
    "This gradient is …",
)
@over(mode=MODES)
def test_the_predictions(mode):
    assert mode.gradients(tf.maximum, 1.0, 1.0) == [1, 0]
    shared = mode.gradients(lambda x, y: tf.reduce_max([x, y]), 1.0, 1.0)
    assert shared == [0.5, 0.5]
    found = mode.gradient(lambda x: tf.nn.relu(x) + tf.nn.relu(-x), 0.0)
    assert found == 0 and -1 <= found <= 1


@says(
    "Write `maximum` and …",
    "Then swapping the …",
    "In the maximum, …",
    "In the minimum …",
    "So the gradients …",
    "If you write …",
    "Solution: maximum and …",
    "1 where x …",
)
@over(mode=MODES, x=arrays(3, st.integers(-2, 2)), y=arrays(3, st.integers(-2, 2)))
def test_the_solution(mode, x, y):
    high, low = SOLUTION.maximum, SOLUTION.minimum
    every = together(high, high, low, SHARED, high, of=2)
    found = mode.gradients(every, x, y, y, x, x, y, x, y, x, 0 * x)
    share = np.where(x > y, 1, np.where(x == y, 0.5, 0))
    to_x, to_y = share, 1 - share
    assert same(found[:6], [to_x, to_y, to_y, to_x, to_y, to_x])
    assert same(found[6:8], [np.ones(3)] * 2)
    assert same(found[8], np.where(x == 0, 0.5, x > 0))
    shared, builtin = (trace("solution.py")[at].numbers for at in (4, 9))
    assert shared == [1] * 6 and builtin == [1, 2, 1, 1, 0, 1]


definition(
    "For $f(t) = |t|$ at 0 and …",
    "Their slopes are …",
    "For example, $|t|$ at 0 …",
    "Take the inner …",
    "Read off the …",
)
advice(
    "You need the …",
    "Choose 0, unless …",
    "To train through …",
)
history("For measurements of …")
pointer(
    "A kink explains …",
    "The program that …",
    "Other systems have …",
)
pointer(
    "Compare the gradients at …",
    "Compare the interval …",
    "In each row, …",
    "Compare the last six …",
    "For each gradient, …",
    "The column `graph` …",
    "Compare both slopes …",
    "Look at `local` …",
    "Make two predictions, …",
    "Predict: maximum of …",
    "Predict: absolute value …",
    "Derive: ties that …",
    "Use the following …",
    "How much do …",
    "Which gradient does …",
    "The table lists …",
)
advice("Write the function …", "If the 0 …")
advice("After this page …")
definition("Divide by $h$.")
