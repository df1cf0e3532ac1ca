"""What the page on structures says in words."""

import collections
from unittest import mock

from tensorflow.python.ops import custom_gradient as of_tensorflow

from truth.statements.tries import *

BESIDE = [EAGER, PERSISTENT, INSIDE, XLA]
"""The tape runs where the rule does."""
APART = [AROUND, NESTED, AROUND_XLA, SYMBOLIC]
LOOPS = [each for each in BLOCKS if "loop, tape" in each.name]
Point = collections.namedtuple("Point", ["y", "x"])
KEYS = st.text("abwyz", min_size=1, max_size=2)
STRUCTURES = st.recursive(
    st.integers(1, 9).map(float),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(KEYS, inner, max_size=3)
        | st.builds(Point, inner, inner)
        | st.dictionaries(KEYS, inner, max_size=3).map(collections.OrderedDict)
    ),
    max_leaves=6,
)


def pieces(structure):
    """What a structure falls into, written down once more."""
    if isinstance(structure, dict):
        return [each for key in sorted(structure) for each in pieces(structure[key])]
    if isinstance(structure, (list, tuple)):
        return [each for inner in structure for each in pieces(inner)]
    return [structure]


def near_(one, other):
    return np.allclose(one, other, 1e-4, 1e-5)


# Polar coordinates.

AWAY = numbers(-100, 100).filter(lambda x: abs(x) > 0.01)


@says(
    "Polar coordinates: a …",
    "Polar coordinates have …",
    "The two inputs …",
    "This function also …",
    "The programs compute …",
    "Each output has its …",
    "There is one downstream …",
)
@over(
    mode=[EAGER, AROUND, XLA],
    x=AWAY,
    y=AWAY,
    factors=[(1.0, 0.0), (0.0, 1.0), (10.0, 100.0)],
)
def test_polar(mode, x, y, factors):
    x, y = np.array([x, 3.0]), np.array([y, 4.0])

    def angle(x, y):
        return tf.atan2(y, x)

    r2 = x * x + y * y
    assert np.all((np.abs(np.arctan(y / x) - angle(x, y)) < 1e-9) == (x > 0))
    slopes = mode.gradients(angle, x, y)
    assert near_(slopes, [-y / r2, x / r2])
    polar = program("check.py").polar

    def loss(x, y):
        outputs = polar({"y": y, "x": x})
        return factors[0] * outputs["r"] + factors[1] * outputs["theta"]

    found, r = mode.gradients(loss, x, y), np.sqrt(r2)
    assert near_(found[0], factors[0] * x / r - factors[1] * y / r2)
    assert near_(found[1], factors[0] * y / r + factors[1] * x / r2)
    assert np.all(found[0] != 0) and np.all(found[1] != 0)
    outputs = polar({"x": x, "y": y})
    assert len(outputs) == 2 == len(found)
    assert all(each.shape == (2,) for each in (*found, *outputs.values()))


def of_polar(*at):
    polar = program("check.py").polar
    one, other = (polar({"x": x, "y": y}) for x, y in (at[:2], at[2:]))
    return [one["r"], other["theta"]]


def angle(x, y):
    return tf.atan2(y, x)


@says(
    "At the origin …",
    "On the negative …",
)
@over(mode=MODES, x=[-1e-3, -1e3, 0.0])
def test_origin(mode, x):
    found = mode.gradients(of_polar, x, 0.0, x, 0.0)
    assert np.isnan(found).all() if x == 0 else np.isfinite(found).all()
    if x:
        x = np.float64(x)
        above, below = -1e-9 * x, 1e-9 * x
        turn = tf.atan2(above, x) - tf.atan2(below, x)
        assert near_(turn, 2 * np.pi)
        one, other = (mode.gradients(angle, x, y) for y in (above, below))
        assert near_(one, other) and near_(one[1], 1 / x)
    sides = [np.sqrt(h * h) / h for h in (1e-6, -1e-6)]  # of r
    assert sides == [1, -1]


# The snippet.


@says(
    "The upstream gradients are …",
    "`grad` receives them …",
    "`tf.nest.pack_sequence_as(outputs, upstreams)` gives …",
    "`tf.nest.pack_sequence_as(outputs, upstreams)` turns …",
    "So the gradients …",
    "The program writes …",
    "So `grad` can …",
)
def test_the_trace():
    lines, defined = trace("structures.py"), program("structures.py")
    assert [*defined.point] == ["y", "x"]
    outputs = defined.polar(defined.point)
    assert [*outputs] == ["theta", "r"] and outputs["r"] == 5
    [arrive] = lines.starting("upstreams as they arrive")
    assert arrive.numbers == [10, 100]
    assert tf.nest.pack_sequence_as(outputs, arrive.numbers) == {"r": 10, "theta": 100}
    assert lines.starting("upstream_r")[0].numbers == [10, 100]
    x, y = lines.starting("downstream_x")[0].numbers
    assert (
        x == 10 * 3 / 5 - 100 * 4 / 25 == -10 and y == 10 * 4 / 5 + 100 * 3 / 25 == 20
    )


@says(
    "Return the gradients in …",
    "Then you don't …",
    "The upstream gradients come …",
    "TensorFlow flattens what …",
    "`grad` returns a …",
    "TensorFlow flattens this …",
    "TensorFlow doesn't compare …",
)
@over(
    mode=[EAGER, INSIDE, AROUND_XLA, SYMBOLIC],
    returned={
        "structure": lambda w, b: {"w": w, "b": b},
        "other order": lambda w, b: {"b": b, "w": w},
        "flat": lambda w, b: (b, w),
        "nested": lambda w, b: [[b], {"any": w}],
        "other keys": lambda w, b: {"q": w, "p": b},
        "flat, as written": lambda w, b: (w, b),
        "misspelled": lambda w, b: {"W": w, "b": b},
    },
)
def test_returned(mode, returned):
    arrived = []

    found = mode.gradients(with_dictionaries(returned, arrived), 5.0, 7.0)
    right = [2.0, 3.0]
    wrong = returned(1, 2) in ((1, 2), {"W": 1, "b": 2})
    assert same(found, right[::-1] if wrong else right)
    assert all(len(each) == 3 for each in arrived) and arrived


def with_dictionaries(returned, arrived):
    def by_rule(w, b):
        @tf.custom_gradient
        def rule(model):
            def grad(first, second, last):
                arrived.append((first, second, last))
                return returned(2.0 * last, 3.0 * last)

            y = 2.0 * model["w"] + 3.0 * model["b"]
            return {"z": [y], "m": (y * 1.0, y * 1.0)}, grad

        return rule({"w": w, "b": b})["z"][0]

    return by_rule


# The order of the pieces.


@says(
    "TensorFlow calls `tf.nest.flatten` …",
)
@over(mode=MODES)
def test_what_tensorflow_calls(mode):
    flattened = []

    class Spy:
        def __getattr__(self, name):
            found = getattr(tf.nest, name, None) or getattr(nest, name)
            if name != "flatten":
                return found
            return lambda each, **options: (
                flattened.append(each) or found(each, **options)
            )

    nest = of_tensorflow.nest
    rule = tf.custom_gradient(
        lambda point: ({"out": 2.0 * point["in"]}, lambda u: {"back": 2.0 * u})
    )
    with mock.patch.object(of_tensorflow, "nest", Spy()):
        mode.gradient(lambda x: rule({"in": x})["out"], 3.0)
    keys = [[*each] for each in flattened if isinstance(each, dict) and each]
    assert ["out"] in keys and ["back"] in keys
    assert any(
        isinstance(each, tuple) and each and [*each[0]] == ["in"] for each in flattened
    )
    assert nest.flatten is tf.nest.flatten or nest.flatten({"b": 1, "a": 2}) == [2, 1]


@says(
    "Tuples and lists …",
    "TensorFlow sorts the …",
    "An empty structure …",
    "Then you don't …",
    "The order in …",
)
@over(structure=STRUCTURES, cases=60, examples=({"structure": [(), {}]},))
def test_order(structure):
    flat = tf.nest.flatten(structure)
    assert flat == pieces(structure)
    packed = tf.nest.pack_sequence_as(structure, flat)
    assert packed == structure


@says(
    "It compares strings …",
    "It compares numbers …",
    "TensorFlow flattens a …",
    "`None` is one leaf.",
)
@over(keys=st.lists(st.integers(-20, 20), min_size=2, unique=True))
def test_keys(keys):
    assert tf.nest.flatten({key: key for key in keys}) == sorted(keys)
    text = [f"w{key}" for key in keys]
    assert tf.nest.flatten({key: key for key in text}) == sorted(text)
    assert tf.nest.flatten({"w9": 9, "w10": 10}) == [10, 9]
    assert tf.nest.flatten([None]) == [None] == tf.nest.flatten(None)


# What arrives.

OTHERS = {
    "float16": lambda: tf.ones([2, 3], tf.float16),
    "float64": lambda: tf.ones([], tf.float64),
    "empty": lambda: tf.ones([0, 2]),
    "int64": lambda: tf.ones([2], tf.int64),
    "uint8": lambda: tf.ones([], tf.uint8),
    "bool": lambda: tf.ones([2, 1], tf.bool),
}


def arrives(mode, other, use=lambda other: 0.0):
    """The upstream of an output beside the one that the loss uses."""
    arrived = []

    @tf.custom_gradient
    def two(x):
        def grad(used, unused):
            arrived.append(unused)
            return 2.0 * used

        return (2.0 * x, other()), grad

    def run(x):
        y, beside = two(x)
        return y + use(beside)

    assert same(mode.gradient(run, 5.0), 2.0)
    [found] = arrived
    return found


@says(
    "`grad` has one …",
    "For a float …",
    "For an integer or …",
    "For an integer output, …",
    "`grad` receives zeros …",
    "`grad` receives `None` …",
    "The upstream gradient of …",
    was="'has its upstream': a text has None in every mode",
)
@over(mode=MODES, other=OTHERS)
def test_arrives(mode, other):
    given, found = other(), arrives(mode, other)
    if given.dtype.is_floating or mode in BESIDE:
        assert found.dtype == given.dtype and found.shape == given.shape
        if mode in (EAGER, PERSISTENT):
            assert not np.any(found)
    else:
        assert found is None
    assert arrives(EAGER, lambda: tf.constant("text")) is None


@says(
    "`grad` receives `None` …",
    was="'zeros in the same graph' of a branch or a loop, too: None there",
)
@over(
    mode=[EAGER, INSIDE, AROUND, XLA],
    block={
        "branch": lambda f, x: tf.cond(x > 0.0, lambda: f(x), lambda: x),
        "loop": lambda f, x: tf.while_loop(
            lambda i, y: i < 1, lambda i, y: (i + 1, f(y)), [0, x]
        )[1],
    },
)
def test_arrives_in_a_block(mode, block):
    arrived = []

    @tf.custom_gradient
    def two(x):
        def grad(used, unused):
            arrived.append(unused)
            return 2.0 * used

        return (2.0 * x, tf.cast(x, tf.int32)), grad

    assert same(mode.gradient(lambda x: block(lambda y: two(y)[0], x), 3.0), 2.0)
    [found] = arrived
    assert (found is None) == (mode is not EAGER)


@says(
    "In the next program, the function `four` …",
    "So never compute …",
    "Here `grad` returns …",
    "The second term is …",
)
def test_four():
    lines = trace("arrives.py")
    assert [each.numbers for each in lines if "downstream" in each.text] == [
        [10, 14]
    ] * 4
    assert [2 * 5 + 3 * 0, 2 * 7 + 3 * 0] == [10, 14]
    modes = [each.text for each in lines if not each.text.startswith(" ")]
    assert len(modes) == 4
    outputs = program("arrives.py").four(tf.constant([1.0, -1.0]))
    assert len(outputs) == 4 and [each.dtype.is_floating for each in outputs] == [
        True,
        True,
        False,
        False,
    ]
    assert raised(lambda: arrives(AROUND, OTHERS["int64"]) * 0) is not None


# Counting.


@says(
    "Return one gradient …",
    "TensorFlow flattens the positional …",
    "The values that …",
    "A list of …",
    "`grad` receives one upstream …",
    "`grad` receives one argument …",
    "It returns one …",
    "`grad` must return one gradient for each leaf.",
    "`grad` must return one gradient for each leaf, …",
    was="'each tensor': a number in a tuple counts, too",
)
@over(
    mode=MODES,
    given=STRUCTURES,
    examples=({"given": [1.0, (2.0, {"a": 3.0})]},),
    cases=24,
)
def test_count(mode, given):
    owed = 1 + len(pieces(given))
    leaves = tf.nest.flatten((1.0, given))
    assert len(leaves) == owed
    assert not any(isinstance(leaf, (list, tuple, dict)) for leaf in leaves)

    def rule(count):
        arrived = []

        @tf.custom_gradient
        def run(x, given):
            def grad(*upstreams):
                arrived.append(len(upstreams))
                return [upstreams[0]] + [None] * (count - 1)

            return (x * 1.0, given), grad

        return arrived, lambda x: run(x, given)[0]

    arrived, run = rule(owed)
    assert same(mode.gradient(run, 3.0), 1.0) and {*arrived} == {owed}
    for count in (owed - 1, owed + 1):
        assert count == 0 or raised(mode.gradient, rule(count)[1], 3.0) is not None


@says(
    "In the next program, the function `energy` …",
    "Its parameter `*trees` …",
    "One gradient function …",
)
@over(mode=[EAGER, AROUND, SYMBOLIC], structure=STRUCTURES, number=[1, 3])
def test_energy(mode, structure, number):
    if not pieces(structure):
        return
    energy = program("any.py").energy
    given = pieces([structure] * number)

    def run(*given):
        return 10.0 * energy(*tf.nest.pack_sequence_as([structure] * number, given))

    assert same(run(*map(tf.constant, given)), 5 * sum(each**2 for each in given))
    found = mode.gradients(run, *given)
    assert same(found, [10 * each for each in given])
    with tf.GradientTape() as tape:
        trees = tf.nest.map_structure(tf.constant, structure)
        tape.watch(trees)
        y = energy(trees)
    tf.nest.assert_same_structure(tape.gradient(y, trees), structure)


ROWS = {
    "a tensor": (lambda x: (x,), 1, [lambda u: u, lambda u: [u]]),
    "two tensors": (lambda x: (x, x), 2, [lambda u: (u, u)]),
    "a list of two": (lambda x: ([x, x],), 2, [lambda u: (u, u), lambda u: [[u, u]]]),
    "a dictionary": (
        lambda x: ({"w": x, "b": x}, x),
        3,
        [lambda u: ({"w": u, "b": u}, u), lambda u: (u, u, u)],
    ),
    "an integer": (lambda x: (x, 3), 2, [lambda u: (u, None)]),
    "a pair": (lambda x: (x, (2, 1)), 3, [lambda u: (u, None, None)]),
    "nothing": (lambda x: (x, []), 1, [lambda u: u]),
}


@says(
    "a tensor — …",
    "two tensors — …",
    "a list of …",
    "a dictionary of …",
    "a tensor and an integer …",
    "a tensor and a pair …",
    "a tensor and an empty …",
    "Arguments — Leaves …",
    "The table also …",
)
@over(mode=[EAGER, INSIDE, AROUND, SYMBOLIC], row=ROWS)
def test_rows(mode, row):
    arguments, count, accepted = row
    assert len(tf.nest.flatten(arguments(1.0))) == count
    for returned in (*accepted, lambda u: [u] * (count + 1)):

        def rule(*given):
            first = tf.nest.flatten(given)[0]
            return first * 1.0, lambda upstream: returned(upstream)

        def run(x):
            return tf.custom_gradient(rule)(*arguments(x))

        if returned in accepted:
            tensors = sum(
                tf.is_tensor(e) for e in tf.nest.flatten(arguments(tf.ones([])))
            )
            assert same(mode.gradient(run, 3.0), float(tensors))
        else:
            assert raised(mode.gradient, run, 3.0) is not None


@says(
    "In each of …",
)
def test_the_counts_printed():
    lines = trace("any.py")
    counts = [each.numbers[1] for each in lines.starting("  arguments")]
    leaves = [
        len(tf.nest.flatten(each))
        for each in ((1,), (1, 2), ([1, 2],), ([("W", "b"), {"s": 5, "o": 6}], 7))
    ]
    assert counts == leaves == [1, 2, 2, 5]


@says(
    "Variables that the …",
)
@over(mode=[EAGER, INSIDE])
def test_variables_apart(mode):
    w = tf.Variable(2.0)
    counted = []

    @tf.custom_gradient
    def rule(x):
        def grad(upstream, variables=None):
            counted.append(len(variables))
            return upstream, [upstream * 7.0]

        return x * w, grad

    assert same(mode.gradient(rule, 3.0), 1.0) and counted == [1]
    assert len(tf.nest.flatten((3.0,))) == 1


@says(
    "If `grad` returns more …",
    "In eager mode, the message …",
)
@over(mode=MODES, count=[1, 2, 4])
def test_messages_of_the_count(mode, count):
    total = tf.custom_gradient(
        lambda each: (tf.add_n(each), lambda up: [up] * count if count > 1 else up)
    )
    said = message(mode.gradient, lambda x: total([x, x, x]), [1.0, 2.0])
    if mode in (EAGER, PERSISTENT):
        assert f"return 3 gradients, but returned {count} instead" in said
    assert "Error" in said


# An integer among the inputs.


@says(
    "The function `rows` …",
    "It receives the …",
    "If an index …",
    "Two tables in …",
    "`grad` must return three values …",
    "An integer has …",
)
@over(
    mode=[EAGER, AROUND, XLA], places=[[1, 0, 1], [2, 2, 2, 2]], loss=["sparse", "ones"]
)
def test_integer_among_the_inputs(mode, places, loss):
    defined = program("integer.py")
    tables = [1.0, 2.0, 3.0], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]

    def picked(first, second):
        one, other = defined.rows((first, second), tf.constant(places))
        return tf.concat([one[:, None], other], 1)

    found = mode.gradients(picked, *tables, loss=LOSSES[loss])
    own = mode.gradients(
        lambda *tables: tf.concat(
            [tf.gather(t, places) for t in (tables[0][:, None], tables[1])], 1
        ),
        *tables,
        loss=LOSSES[loss],
    )
    assert all(map(same, found, own))
    P = np.array([[float(place == j) for j in range(3)] for place in places])
    outputs = defined.rows(tables, tf.constant(places))
    assert isinstance(outputs, list) and same(outputs[0], P @ tables[0])
    if loss == "ones":
        assert same(found[0], P.sum(0))
    assert EAGER.gradient(lambda i: tf.cast(i, tf.float32), tf.constant([1])) is None
    assert len(tf.nest.flatten(((1.0, 2.0), 1))) == 3
    graph = tf.function(
        lambda t: tf.gradients(defined.rows((t,), tf.constant(places)), t)
    )
    graph = graph.get_concrete_function(tf.ones([3])).graph
    used = [each.type for each in graph.get_operations()]
    assert "UnsortedSegmentSum" in used and "MatMul" not in used


@says(
    "The gradients agree.",
    "`grad` is called …",
    "The index 1 …",
    "The loss multiplies …",
    "from tf.gather it …",
)
def test_the_trace_of_the_integer():
    lines, defined = trace("integer.py"), program("integer.py")
    assert [each.text for each in lines.starting("upstreams")] == ["upstreams: 2"]
    assert [*defined.index.numpy()] == [1, 0, 1]
    assert lines[1].numbers[:3] == [10, 101, 0] and 1 + 100 == 101
    assert lines[1].numbers == lines[2].numbers
    assert [*defined.index.numpy()].count(1) == 2
    with tf.GradientTape() as tape:
        tape.watch(defined.tables)
        y = defined.plain(defined.tables, defined.index)[0]
    assert isinstance(tape.gradient(y, defined.tables[0]), tf.IndexedSlices)


# Settings.


@says(
    "Settings stay outside …",
    "Callers can then …",
    "For each setting, …",
    "To allow keywords, …",
    "The custom gradient has …",
)
@over(mode=[EAGER, AROUND, XLA], axis=[0, 1], from_end=[False, True])
def test_settings_outside(mode, axis, from_end):
    running_sum = program("static.py").running_sum
    x = [[1.0, 2.0], [3.0, 4.0]]
    found, own = (
        mode.gradient(function, x, LOSSES["dense"])
        for function in (
            lambda x: running_sum(x=x, axis=axis, from_end=from_end),
            lambda x: tf.cumsum(x, axis, reverse=from_end),
        )
    )
    assert same(found, own) and same(running_sum(x), tf.cumsum(x))


@says(
    "In eager mode, each …",
    "In a graph, each …",
    was="'in each call': a tf.function makes it once for each trace",
)
@over(calls=[1, 3])
def test_made_anew(calls):
    made = []
    make = tf.custom_gradient

    def counted(rule):
        made.append(rule)
        return make(rule)

    defined = program("static.py")
    with mock.patch.object(tf, "custom_gradient", counted):
        for _ in range(calls):
            defined.running_sum(tf.ones([2]))
        assert len(made) == calls
        graph = tf.function(defined.running_sum)
        for _ in range(calls):
            graph(tf.ones([2]))
        assert len(made) == calls + 1
        graph(tf.ones([3]))
        assert len(made) == calls + 2


@says(
    "`grad` returns gradients …",
    "A tensor that …",
    was="'gets None': in a loop it gets 0",
)
@over(mode=[*MODES, *LOOPS])
def test_closed_over(mode):
    def closed(x, c):
        return tf.custom_gradient(lambda x: (x * c, lambda u: 10.0 * u))(x)

    found = mode.gradients(closed, 2.0, 3.0)
    assert same(found[0], 10.0)
    if mode in LOOPS:
        assert found[1] == 0
        return
    assert found[1] is None
    alone = mode.gradient(lambda c: closed(tf.constant(2.0), c), 3.0)
    assert same(alone, 2.0 if mode in (EAGER, PERSISTENT) else None)


@says(
    "Don't make a …",
    "In a graph, TensorFlow …",
    was="'each argument is made a tensor': a RaggedTensor stays one",
)
@over(mode=MODES, setting=[True, 3, 2.5, "text"])
def test_settings_as_arguments(mode, setting):
    seen = []

    @tf.custom_gradient
    def rule(x, setting, pair):
        seen.extend([setting, *pair])
        return 2.0 * x, lambda upstream: (2.0 * upstream, None, [None, None])

    if setting == "text" and mode in (XLA, AROUND_XLA):
        return  # XLA has no texts
    mode.gradient(lambda x: rule(x, setting, [setting, 1]), 3.0)
    if mode in (EAGER, PERSISTENT):
        assert seen == [setting, setting, 1] and type(seen[0]) is type(setting)
    else:
        assert seen and all(map(tf.is_tensor, seen))


@says(
    "If an argument is …",
)
@over(mode=MODES, refused={"None": None, "square": tf.square, "in a list": [None]})
def test_refused_settings(mode, refused):
    rule = tf.custom_gradient(
        lambda x, _: (2.0 * x, lambda upstream: (2.0 * upstream, None))
    )
    assert same(mode.gradient(lambda x: rule(x, 1), 3.0), 2.0)
    assert raised(mode.gradient, lambda x: rule(x, refused), 3.0) is not None


# The check.


@says(
    r"The loss $r^2 \sin 3 \theta$ …",
    "Of the four …",
    "The program compares …",
    "All three agree.",
    "The custom gradient of …",
)
def test_the_check():
    defined, lines = program("check.py"), trace("check.py")
    x, y = (defined.point[name].numpy() for name in "xy")
    assert len(x) == 4 and np.sum(x < 0) == 2 and np.sum(np.hypot(x, y) < 0.01) == 1
    assert x.dtype == y.dtype == np.float64
    r, theta = np.float64(2.0), np.float64(0.3)
    ups = EAGER.gradients(lambda r, t: r**2 * tf.sin(3.0 * t), r, theta)
    for moved in ((r + 1, theta), (r, theta + 0.1)):
        others = EAGER.gradients(lambda r, t: r**2 * tf.sin(3.0 * t), *moved)
        assert all(a != b for a, b in zip(ups, others))
    for rule, autodiff, differences in (lines[:3], lines[3:]):
        assert rule.numbers == autodiff.numbers == differences.numbers


@says(
    "A check of …",
    "If two gradients …",
)
@over(factors=[(1.0, 1.0), (2.0, 3.0)])
def test_swapped_pieces(factors):
    swapped = tf.custom_gradient(lambda a, b: ((a + 0.0, b + 0.0), lambda u, v: (v, u)))

    def loss(a, b):
        return sum(factor * each for factor, each in zip(factors, swapped(a, b)))

    found = EAGER.gradients(loss, 5.0, 7.0)
    assert (
        (found[0] == factors[0])
        == (found[1] == factors[1])
        == (factors[0] == factors[1])
    )


# Where it breaks.


@says(
    "Suppose the input …",
    "TensorFlow flattens the input …",
    "If both gradients …",
    "A misspelled key …",
    "If you write …",
)
@over(
    mode=MODES,
    returned={
        "as written": lambda w, b: (w, b),
        "misspelled": lambda w, b: {"W": w, "b": b},
        "with keys": lambda w, b: {"w": w, "b": b},
    },
)
def test_keys_as_written(mode, returned):
    assert tf.nest.flatten({"w": "w", "b": "b"}) == ["b", "w"]
    assert sorted("bW") == ["W", "b"]

    @tf.custom_gradient
    def line(model, x):
        def grad(upstream):
            return returned(upstream * x, upstream), upstream * model["w"]

        return model["w"] * x + model["b"], grad

    found = mode.gradients(
        lambda w, b: line({"w": w, "b": b}, tf.constant(5.0)), 2.0, 0.0
    )
    assert len(found) == 2 and all(each.shape == [] for each in found)
    right = isinstance(returned(1, 2), dict) and "w" in returned(1, 2)
    assert same(found, [5.0, 1.0] if right else [1.0, 5.0])


@says(
    "A keyword argument …",
    "If you pass all inputs by keyword in eager mode, TensorFlow doesn't call `grad`.",
    "The results 3 …",
    "If you pass some …",
    "Pass inputs by position.",
    "The `grad` of …",
    "If `grad` returns one …",
    "Deliberately wrong: inputs …",
)
@over(mode=MODES)
def test_keywords(mode):
    defined = program("wrong/keywords.py")
    product, one = defined.product, defined.one_gradient
    assert same(mode.gradients(product, 2.0, 3.0), [10.0, 20.0])
    calls = [
        lambda x, y: product(x=x, y=y),
        lambda x, y: product(x, y=y),
        lambda x, y: one(x, y=y),
    ]
    if mode not in (EAGER, PERSISTENT):
        for call in calls:
            assert "keywords arguments only" in message(mode.gradients, call, 2.0, 3.0)
        return
    own = mode.gradients(lambda x, y: x * y, 2.0, 3.0)
    assert same(mode.gradients(calls[0], 2.0, 3.0), own) and same(own, [3.0, 2.0])
    assert "expected to return 1 gradients" in message(
        mode.gradients, calls[1], 2.0, 3.0
    )
    assert same(mode.gradients(calls[2], 2.0, 3.0), [10.0, None])


@says(
    "In a graph, a call …",
    "But `tf.function(product)` turns …",
    was="'in a graph keywords are refused': tf.function(product)(x=x, y=y) calls the rule",
)
@over(options=[{}, {"autograph": False}, {"jit_compile": True}])
def test_keywords_of_a_graph(options):
    defined = program("wrong/keywords.py")
    product = tf.function(defined.product, **options)
    for call in (
        lambda x, y: product(x=x, y=y),
        lambda x, y: product(x, y=y),
        lambda x, y: product(x, y),
    ):
        assert same(EAGER.gradients(call, 2.0, 3.0), [10.0, 20.0])
    inside = tf.function(lambda x: defined.one_gradient(x=x), **options)
    assert "keywords arguments only" in message(inside, 2.0)
    one = tf.function(defined.one_gradient, **options)
    assert same(EAGER.gradient(defined.one_gradient, 2.0), 10.0)
    assert raised(EAGER.gradient, one, 2.0) is not None  # it owes 2


@says(
    "A parameter with …",
    "So `grad` must …",
)
@over(mode=MODES)
def test_default_by_position(mode):
    one = program("wrong/keywords.py").one_gradient
    assert same(mode.gradient(one, 2.0), 10.0)
    assert raised(mode.gradient, lambda x: one(x, 3.0), 2.0) is not None
    two = tf.custom_gradient(lambda x, y=3.0: (x * y, lambda u: (10.0 * u, None)))
    assert raised(mode.gradient, two, 2.0) is not None
    assert same(mode.gradient(lambda x: two(x, 3.0), 2.0), 10.0)


@says(
    "Don't return `None` …",
)
@over(mode=MODES)
def test_outputs(mode):
    none = tf.custom_gradient(lambda x: ((2.0 * x, None), lambda up, _: 2.0 * up))
    assert raised(none, tf.constant(3.0)) is not None
    assert raised(mode.gradient, lambda x: none(x)[0], 3.0) is not None
    alone = tf.custom_gradient(lambda x: ((2.0 * x,), lambda upstream: 2.0 * upstream))
    assert same(mode.gradient(lambda x: alone(x)[0], 3.0), 2.0)


# The exercises.


@says(
    "`grad` must return 5 …",
    "The list has …",
)
@over(mode=MODES)
def test_five_leaves(mode):
    numbers = [1.0, 2.0, 3.0, 4.0, 5.0]
    factors = [10.0, 20.0, 30.0, 40.0, 50.0]

    @tf.custom_gradient
    def f(pair, rest):
        leaves = tf.nest.flatten((pair, rest))
        y = tf.add_n(leaves)
        return y, lambda up: tuple(up * each for each in factors)

    def call(a, b, c, d, e):
        return f([a, b], {"d": (d, e), "c": c})

    found = mode.gradients(call, *numbers)
    assert [float(each) for each in found] == factors
    flat = tf.nest.flatten((["a", "b"], {"c": "c", "d": ("d", "e")}))
    assert flat == ["a", "b", "c", "d", "e"] and len(flat) == 5
    assert len(flat[:2]) == 2 and len(flat[2:]) == 3


@says(
    "`u` is 1 …",
    "The gradient is 2.",
)
@over(mode=MODES)
def test_an_unused_output(mode):
    arrived = []

    @tf.custom_gradient
    def f(x):
        def grad(u, v):
            arrived.append((u, v))
            return 2.0 * u + 2.0 * v * x

        return (2.0 * x, x * x), grad

    assert mode.gradient(lambda x: f(x)[0], 3.0) == 2
    if mode.name == "eager":
        assert arrived == [(1, 0)]


@says(
    "It should return …",
    "The mean of $n = 3$ …",
    "For the variance, …",
    "The deviations add …",
    "Mean and variance …",
    "Then predict the …",
)
@over(
    mode=[EAGER, INSIDE, AROUND],
    x=arrays((3,), numbers(-10, 10)),
    factors=[(30.0, 3.0), (1.0, 0.0)],
)
def test_moments(mode, x, factors):
    defined, x = program("solution.py"), np.float64(x)

    def loss(function):
        return lambda x: sum(f * part for f, part in zip(factors, function(x)))

    with mock.patch.object(tf, "print", lambda *_: None):
        found = mode.gradient(loss(defined.moments), x)
        assert defined.moments(tf.constant(x))._fields == ("mean", "variance")
    own = mode.gradient(loss(lambda x: tf.nn.moments(x, 0)), x)
    assert near_(found, own)
    assert near_(np.mean(np.add(x, [0.3, 0, 0])) - np.mean(x), 0.1)
    assert near_(np.sum(x - np.mean(x)), 0)
    assert near_(found, factors[0] / 3 + factors[1] * 2 / 3 * (x - np.mean(x)))


@says(
    "The first gradient …",
    "The second loss …",
    "The program prints …",
)
def test_the_second_line():
    first, second = trace("solution.py").starting("upstream mean")
    assert first["downstream"] == [6, 8, 16] and first["mean"] == 30
    assert first["variance"] == 3 and second["variance"] == 0 and second["mean"] == 1


@says(
    "If the function also …",
    "If you pass all inputs by keyword in eager mode, TensorFlow doesn't call `grad`, unless …",
)
def test_keywords_and_a_variable():
    w, called = tf.Variable(3.0), []

    @tf.custom_gradient
    def scaled(x):
        def grad(upstream, variables=None):
            called.append(upstream)
            return [], [upstream * 100.0]

        return w * x, grad

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = scaled(x=x)
    found = tape.gradient(y, [x, w])
    assert found[0] is None and same(found[1], 100.0) and len(called) == 1


pointer(
    "After this page …",
    "The catalogue of …",
    "It also explains …",
    "Predict: the count.",
    "Predict: an unused output.",
    "Derive: mean and variance.",
    "The lines that …",
    "The page on …",
    "Keep axes, flags …",
    "Make two quick …",
)
advice(
    "You need the …",
    "Write a function …",
    "Derive both terms …",
    "Look at the order …",
    "You can call …",
    "Name the argument …",
    "Fix: return a …",
    "Fix: pass inputs …",
    "Let the custom …",
    "Compare `arguments` with …",
    "Compare `rows` with …",
    "Make the setting …",
)
definition(
    "The formulas are …",
    "Each output has a …",
    "In the program below, …",
    "It receives and …",
    "A setting is …",
    "A function is …",
    "How many gradients …",
    "`f(x)` returns `(2.0 * x, x * x)`, …",
    "The loss is …",
    "What are `u` …",
    r"Write $\mu$ for …",
    "The custom gradient captures …",
)
