"""What the page on structures says in words."""

import collections
import functools
from unittest import mock

from tensorflow.python.ops import custom_gradient as of_tensorflow

from truth.statements.tries import *

BESIDE = [EAGER, PERSISTENT, INSIDE, XLA]
"""The tape runs where the rule does."""
APART = [AROUND, NESTED, AROUND_XLA, SYMBOLIC]
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
    "Polar coordinates: two inputs, two outputs, and every output looks at both.",
    "In the formula $x > 0$, where the angle is an arctangent; `tf.atan2` continues it to the other half plane, with the same slopes.",
    "Four arrays of one shape; the formula is for one element of each:",
    "One for each output, with a term for each input:",
    "Each output brings its own, and the effects on $L$ add:",
    "One downstream for each input, each a sum over the outputs:",
    "Polar coordinates: a dictionary in, a dictionary out, one rule.",
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
    assert all(each.shape == (2,) for each in polar({"x": x, "y": y}).values())


@says(
    r"At the origin $r$ has a tip and $\theta$ is not defined.",
    "On the negative $x$ axis `tf.atan2` jumps by a full turn; the slopes on both sides agree, and a rule that returns them is right beside the jump and knows nothing of it.",
    "The rule of this page says NaN at the origin as well: $x / r$ is 0 divided by 0.",
    "Polar coordinates where they have no derivative: what TensorFlow says.",
)
@over(mode=MODES, x=[-1e-3, -1e3])
def test_origin(mode, x):
    x = np.float64(x)
    above, below = -1e-9 * x, 1e-9 * x
    turn = tf.atan2(above, x) - tf.atan2(below, x)
    assert near_(turn, 2 * np.pi)
    one, other = (
        mode.gradients(lambda x, y: tf.atan2(y, x), x, y) for y in (above, below)
    )
    assert near_(one, other) and near_(one[1], 1 / x)
    polar = program("check.py").polar
    for name in ("r", "theta"):
        found = mode.gradients(lambda x, y: polar({"x": x, "y": y})[name], 0.0, 0.0)
        assert np.isnan(found).all()
    sides = [np.sqrt(h * h) / h for h in (1e-6, -1e-6)]  # of r
    assert sides == [1, -1]
    assert np.isnan(trace("origin.py")[-1].numbers[-4:]).all()


# The snippet.


@says(
    "The outputs are written with `theta` first, the point with `y` first, to show that neither decides.",
    r"The loss sends $\upstream{\bar r} = 10$ and $\upstream{\bar \theta} = 100$.",
    "They arrive as `(10, 100)`: a dictionary is flattened in the order of its sorted keys, and `r` comes before `theta`.",
    '`tf.nest.pack_sequence_as(outputs, upstreams)` makes a dictionary of them again, so that the rule can say `upstream["r"]` and need not count.',
    r"At $(3, 4)$ we have $r = 5$, and $\downstream{\bar x} = 10 \cdot \frac{3}{5} - 100 \cdot \frac{4}{25} = -10$, $\downstream{\bar y} = 10 \cdot \frac{4}{5} + 100 \cdot \frac{3}{25} = 20$.",
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
    "Return the structure of the inputs: then you need not know that a dictionary is flattened by its sorted keys.",
    "The rule returns a dictionary with the keys of `point`.",
    "It is flattened by the same sorted keys as the input was, so each number finds its place.",
    "The keys themselves are not compared.",
    "Return what you were given: the structure of the inputs.",
    "Then there is no order to remember.",
    "What it returns is taken apart again, so it may be flat or have the structure of the inputs.",
    "The rule gets the pieces as separate arguments, whatever they were in.",
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
    "`tf.nest.flatten` is what TensorFlow calls, on the positional arguments, on the outputs, and on what the rule returns."
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
    "Return the structure of the inputs: then you need not know that a dictionary is flattened by its sorted keys.",
    "Tuples and lists keep their order, and so do the fields of a namedtuple.",
    "A dictionary is sorted, and an `OrderedDict` too, whatever its name says.",
    "An empty structure has no pieces.",
    "In which order tf.nest.flatten takes structures apart.",
)
@over(structure=STRUCTURES, cases=60, examples=({"structure": [(), {}]},))
def test_order(structure):
    flat = tf.nest.flatten(structure)
    assert flat == pieces(structure)
    packed = tf.nest.pack_sequence_as(structure, flat)
    assert packed == structure


@says(
    "Keys of text are sorted as text, `w10` before `w9`; numbers as numbers.",
    "`None` is one piece.",
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
    "The upstream of an integer output is zeros or `None`: ignore it by name.",
    "Every output has its argument, also one that the loss never uses, and one that is no float.",
    "A float output that nobody uses gets zeros in its shape, in every mode: the rule adds three times nothing to twice $(5, 7)$.",
    "An integer or a boolean output gets zeros of its own dtype, if the tape runs where the rule does.",
    "If the tape stands outside of `tf.function`, and in `tf.gradients`, it gets `None`.",
    "What arrives for an output: used or unused, float or not, in four modes.",
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
    "`four` returns four outputs, of which the first is the target.",
    "So never compute with the upstream of an integer: ignore it by name.",
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
    "Return one gradient for each piece of the positional inputs, as `tf.nest.flatten` counts them.",
    "Behind all of it is one habit of TensorFlow: it takes the positional arguments apart, and a rule owes one gradient for each piece.",
    "In: one argument for each piece of the outputs.",
    "Out: one gradient for each piece of the positional inputs.",
    "What a rule owes is counted in pieces, not in arguments.",
    "One gradient for each argument.",
    "The count is that of `tf.nest.flatten`.",
    "Wrong on purpose: one gradient for each argument, whatever is in it.",
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
    "`energy` is half the sum of all squares, over all tensors it finds; `tf.nest.map_structure` returns the gradients in the shape of the question, and `*trees` takes any number of arguments.",
    "One rule for any structure: downstream is built like the input.",
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
    "Arguments — Pieces — The rule returns",
    "a tensor — 1 — one gradient, alone or in a list",
    "two tensors — 2 — two gradients",
    "a list of two — 2 — two gradients, or a list of them",
    "a dictionary of `w` and `b`, and `x` — 3 — such a dictionary and one gradient; or those of `b`, `w`, `x`",
    "a tensor and an integer — 2 — one gradient and `None`",
    "a tensor and a pair of numbers — 3 — one gradient and two `None`",
    "a tensor and an empty list — 1 — one gradient",
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
    "Variables that the function reads without having them as arguments are counted apart."
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
    "Put three tensors into one list, and the message is `custom_gradient function expected to return 3 gradients, but returned 1 instead.` Pass the same tensors by keyword, and in eager mode the rule is not even called.",
    "`total` returns one gradient for a list of three.",
    "Return a list of three.",
    "These are the messages of eager mode; those of graphs are in several variables.",
    "`reshaped` takes a shape as an argument, and a tuple of two numbers is two inputs.",
    "Return `(None, None)` for it, or better keep it out, as above.",
    "`emptied` returns a `None` for an empty list, which has no piece.",
)
@over(mode=MODES)
def test_messages_of_the_count(mode):
    defined, lines = program("wrong/count.py"), trace("wrong/count.py")
    x = tf.constant([1.0, 2.0])
    calls = {
        "total": lambda x: defined.total([x, x, x]),
        "reshaped": lambda x: defined.reshaped(x, (2, 1)),
        "emptied": lambda x: defined.emptied(x, []),
    }
    shown = [each.text.strip() for each in lines if each.text.startswith("  ")]
    for call, line in zip(calls.values(), shown):
        said = str(raised(mode.gradient, call, x))
        assert (said == line) == (mode in (EAGER, PERSISTENT))
    assert (
        "3 gradients, but returned 1" in shown[0] and "expected to return 3" in shown[1]
    )
    assert "expected to return 1 gradients, but returned 2" in shown[2]
    listed = tf.custom_gradient(lambda each: (tf.add_n(each), lambda u: [[u, u, u]]))
    assert same(mode.gradient(lambda x: listed([x, x, x]), x), [3.0, 3.0])
    kept = tf.custom_gradient(
        lambda x, shape: (
            tf.reshape(x, shape),
            lambda u: (tf.reshape(u, [2]), None, None),
        )
    )
    assert same(mode.gradient(lambda x: kept(x, (2, 1)), x), [1.0, 1.0])
    if mode in (EAGER, PERSISTENT):
        own = mode.gradient(lambda x: defined.total(tensors=[x, x, x]), x)
        assert same(own, [3.0, 3.0])


# An integer among the inputs.


@says(
    "`rows` picks rows out of two tables.",
    "The tables come in a tuple, the places as integers, and the two results leave in a list.",
    "The rule owes three gradients: two in a tuple, and `None` for the integers, which cannot move by a small amount.",
    "A row that is picked twice gets the sum of two upstreams.",
    "For a table of one column:",
    "$P_{ij}$ is 1 where place $i$ picks row $j$, and 0 elsewhere.",
    "No $P$ is made: `tf.math.unsorted_segment_sum` adds each upstream where it belongs.",
    "Two tables in a tuple, an integer input, a list of two outputs.",
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
    "The rule is called once, with two upstreams.",
    "The second entry of the first table is picked by the first and the third place, with the weights 1 and 100, and its gradient is 101.",
    "that of tf.gather may be IndexedSlices",
)
def test_the_trace_of_the_integer():
    lines, defined = trace("integer.py"), program("integer.py")
    assert [each.text for each in lines.starting("upstreams")] == ["upstreams: 2"]
    assert [*defined.index.numpy()] == [1, 0, 1]
    assert lines[1].numbers[:3] == [10, 101, 0]
    with tf.GradientTape() as tape:
        tape.watch(defined.tables)
        y = defined.plain(defined.tables, defined.index)[0]
    assert isinstance(tape.gradient(y, defined.tables[0]), tf.IndexedSlices)


# Settings.


@says(
    "An axis, a flag, a function: what the rule needs to know, and nobody differentiates, goes to a plain function around the rule, with names and defaults.",
    "The rule closes over it.",
    "Settings stay outside of the rule: a plain function makes the rule.",
    "Inside it there is one input left, and one gradient.",
    "Pass inputs by position only.",
    "To allow keywords, put a plain function around the rule.",
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
    "The rule is made anew in each call, and in a graph in each trace.",
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
    "This is for settings only: a tensor that wants a gradient has to be an argument.",
    "A tensor is closed over.",
    "What goes for settings does not go for tensors.",
    "Variables apart, only arguments get gradients from a rule: a tensor that it closes over gets `None`, and if nothing else is watched, eager mode and graph differ.",
)
@over(mode=MODES)
def test_closed_over(mode):
    def closed(x, c):
        return tf.custom_gradient(lambda x: (x * c, lambda u: 10.0 * u))(x)

    assert same(mode.gradients(closed, 2.0, 3.0), [10.0, None])
    alone = mode.gradient(lambda c: closed(tf.constant(2.0), c), 3.0)
    assert same(alone, 2.0 if mode in (EAGER, PERSISTENT) else None)


@says(
    "Settings as arguments.",
    "In eager mode a flag stays what it was; in a graph flags, numbers and texts are made tensors before the function sees them.",
    "Wrong on purpose: settings passed to a rule as if they were inputs.",
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


@says("Functions and `None` are refused by both.")
@over(mode=MODES, refused={"None": None, "square": tf.square, "in a list": [None]})
def test_refused_settings(mode, refused):
    rule = tf.custom_gradient(
        lambda x, _: (2.0 * x, lambda upstream: (2.0 * upstream, None))
    )
    assert same(mode.gradient(lambda x: rule(x, 1), 3.0), 2.0)
    assert raised(mode.gradient, lambda x: rule(x, refused), 3.0) is not None


# The check.


@says(
    r"The loss $r^2 \sin 3 \theta$ uses both outputs, and each upstream depends on both.",
    "Of the four points two are in the left half plane, and one is close to the origin.",
    "Rule, autodiff of the plain function, and central differences with one number moved at a time, in float64:",
    "The rule for structures against autodiff and central differences.",
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
    "A check of a rule for structures should move every tensor in the inputs, and use every output with another factor: swapped pieces show only where their gradients differ."
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
    "A rule returns the gradients of `w` and `b` in the order in which the dictionary was written, and the tape hands each to the other: 1 and 5 where 5 and 1 are right, without a word.",
    "The order in which the keys were written.",
    "The dictionary is written with `w` first and flattened with `b` first.",
    "In `capital` a key is misspelled, and `W` sorts before `b`:",
    "All are scalars, so no shape tells.",
    "`with_keys` is the cure.",
    "This is the run from the top of the page.",
    "Wrong on purpose: gradients in the order in which the keys were written.",
)
@over(mode=MODES)
def test_keys_as_written(mode):
    defined = program("wrong/keys.py")
    assert [*defined.model] == ["w", "b"] and sorted("bW") == ["W", "b"]
    assert tf.nest.flatten(defined.model) == [defined.model["b"], defined.model["w"]]
    assert all(each.shape == [] for each in (*defined.model.values(), defined.x))
    for name in ("line", "capital", "with_keys", "plain"):
        found = mode.gradients(
            lambda w, b: getattr(defined, name)({"w": w, "b": b}, defined.x), 2.0, 0.0
        )
        wrong = name in ("line", "capital")
        assert same(found, [1.0, 5.0] if wrong else [5.0, 1.0])
        assert trace("wrong/keys.py").starting(name)[0].numbers == [*map(float, found)]


@says(
    "Pass inputs by position: if all come by keyword, the rule is not called in eager mode.",
    "Inputs by keyword.",
    "A keyword argument is no input of the rule.",
    "`product` returns 10 and 20, which no product does, to show whether it was called:",
    "All by keyword, eager: the rule is not called.",
    "3 and 2 are TensorFlow's own gradients of the operations inside.",
    "Some by keyword: the count is that of the positional arguments, here 1.",
    "A rule that returns one gradient passes, and the input by keyword gets `None`.",
    "Wrong on purpose: inputs passed by keyword; the rule would say 10 and 20.",
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
    "In a graph keywords are refused; but `tf.function(product)` passes them on by position, and defaults with them.",
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
    "A default that is passed by position is an input like any other: the same rule owes 1 gradient in one call and 2 in the next."
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
    "An integer output is treated as a float, or an output is `None`.",
    "A loop over all upstreams stumbles at the integer's, in two ways.",
    "`None` is no output at all: leave it out of the structure.",
    "Wrong on purpose: all outputs are treated as floats, or one is None.",
)
@over(mode=MODES)
def test_outputs(mode):
    defined = program("wrong/outputs.py")
    found = raised(mode.gradient, lambda x: defined.with_sign(x)[0], 3.0)
    assert ("NoneType" in str(found)) == (mode in APART) and "TypeError" in repr(
        found
    ) + str(found)
    assert raised(defined.with_none, tf.constant(3.0)) is not None
    assert raised(mode.gradient, lambda x: defined.with_none(x)[0], 3.0) is not None
    alone = tf.custom_gradient(lambda x: ((2.0 * x,), lambda upstream: 2.0 * upstream))
    assert same(mode.gradient(lambda x: alone(x)[0], 3.0), 2.0)


def louder(function):
    """A decorator as many others."""

    @functools.wraps(function)
    def call(x):
        return 100.0 * function(x)

    return call


@says(
    "A function with a rule is itself an argument.",
    "`tf.function` looks through the decorator of an argument if it leaves a `__wrapped__` behind, as `tf.custom_gradient` and many others do.",
    "What is called inside is the bare function, and it returns a pair: its value, and `grad`.",
    "Close over it, or wrap it in `functools.partial`, which has no `__wrapped__`.",
    "Wrong on purpose: a function with a rule is passed to tf.function.",
    was="'looks through a decorator': not through that of a function that is closed over",
)
@over(options=[{}, {"autograph": False}, {"jit_compile": True}])
def test_function_as_argument(options):
    defined = program("wrong/argument.py")
    run = tf.function(defined.apply, **options)
    said = message(run, defined.reverse, 3.0)
    assert said.startswith("TypeError") and "return value of type function" in said
    got = []
    inside = tf.function(
        lambda f, x: got.append(f(x)) or 0.0, **{**options, "autograph": False}
    )
    inside(defined.reverse, 3.0)
    assert isinstance(got[0], tuple) and len(got[0]) == 2 and callable(got[0][1])
    closed = tf.function(lambda x: defined.apply(defined.reverse, x), **options)
    partial = functools.partial(defined.reverse)
    assert defined.gradient(closed) == defined.gradient(run, partial) == -1
    assert hasattr(defined.reverse, "__wrapped__") > hasattr(partial, "__wrapped__")
    loud = louder(tf.identity)
    assert run(loud, 3.0) == 3 and tf.function(lambda x: loud(x), **options)(3.0) == 300


# The exercises.


@says(
    "It returns mean and variance as a namedtuple.",
    "With $n = 3$ numbers, each $\\d x_i$ moves the mean by a third of itself.",
    "In $\\d s$ the mean moves, too, but the deviations add up to 0, and its term vanishes:",
    "Mean and variance as two outputs of one rule, in a namedtuple.",
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
    "The second line is for the mean alone: the variance is not used, and zero arrives for it."
)
def test_the_second_line():
    first, second = trace("solution.py").starting("upstream mean")
    assert first["variance"] == 3 and second["variance"] == 0 and second.numbers[0] == 1


@says(
    "As long as no two elements are equal, a small change does not alter their order.",
    "Sorting then multiplies by a fixed permutation matrix $P$, with a single 1 in each row:",
    "$P$ sends each element to its place, the row times $P$ sends each gradient back: the inverse permutation, which is the `tf.argsort` of the places.",
    "At a tie the values have a kink, and the rule takes the order that `tf.argsort` chose.",
    "A float output and an integer output: sorted values, and where they were.",
)
@over(
    mode=[EAGER, AROUND],
    x=st.lists(st.integers(-5, 5), min_size=1, max_size=6),
    examples=({"x": [2, 1, 2]},),
)
def test_sort(mode, x):
    sort, x = program("sort.py").sort, np.array(x, np.float64)
    places = tf.argsort(x).numpy()
    upstream = np.arange(1.0, len(x) + 1)
    P = np.eye(len(x))[places]
    assert same(P @ x, np.sort(x)) and np.all(P.sum(0) == 1) and np.all(P.sum(1) == 1)
    with mock.patch.object(tf, "print", lambda *_: None):
        found = mode.gradient(lambda x: sort(x)[0], x, LOSSES["dense"])
    assert same(found, upstream @ P)
    assert [*tf.argsort(places)] == [*np.argmax(P, 0)]
    if len({*x}) == len(x):
        assert [*tf.argsort(x + 1e-3 * upstream[::-1])] == [*places]
    else:  # a kink
        at = next(i for i, each in enumerate(x) if [*x].count(each) > 1)
        step = 1e-3 * np.eye(len(x))[at]
        up, down = (np.sort(x + s) - np.sort(x) for s in (step, -step))
        assert not near_(up, -down)


@says(
    "For the places zeros arrive, or `None`, and the rule drops them.",
    "zeros, or None: an integer has no gradient",
)
@over(mode=MODES)
def test_places(mode):
    found = arrives(mode, lambda: tf.argsort([0.3, 0.1]))
    assert (found is None) == (mode in APART)
    with mock.patch.object(tf, "print", lambda *_: None):
        sort = program("sort.py").sort
        assert same(
            mode.gradient(lambda x: sort(x)[0], [0.3, 0.1], LOSSES["dense"]), [2.0, 1.0]
        )


pointer(
    "Of this kind, in the catalogue: the wrong number of gradients.",
    "This page says which pieces, how many, and in what order.",
    r"For $r$ alone, numerical stability has a rule that returns 0 there; for $\theta$ there is nothing to return.",
    "The same swap on the other side, with a dictionary of outputs, is in several outputs.",
    "The tape has the run.",
)
advice(
    "You need the four steps from the chain rule, a rule with two inputs, and one with two outputs.",
    "Try it on a structure of your own:",
    "Write `moments(x)` for a vector of $n$ numbers.",
    "Derive both terms of downstream, and predict it for $x = (1, 2, 6)$ and the loss of 30 times the mean plus 3 times the variance.",
    "Write `sort(x)`, which returns the sorted values and, as integers, the places that they came from.",
    "Where has the map no derivative?",
)
definition(
    r"With $\mu$ for the mean, $c$ for the deviations from it and $s$ for the variance:",
)
