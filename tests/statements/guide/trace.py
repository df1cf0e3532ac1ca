"""What the page on reading a trace says in words."""

import contextlib
import os
import re
import tempfile

from tracebook import includes
from truth.statements import tries
from truth.statements.tries import *

UNCOMPILED = [each for each in MODES if each not in (XLA, AROUND_XLA)]
NOWHERE = "file:///dev/null"
WRAPS = {"eager": lambda f: f, "tf.function": tf.function}


def seeing(seen):
    """A probe that keeps what it sees."""

    @tf.custom_gradient
    def probe(x):
        def grad(upstream):
            seen.append(upstream)
            return upstream

        return tf.identity(x), grad

    return probe


def printed(name, *words):
    """The lines of a trace that begin with a word, until another follows."""
    return [
        each.text.strip() for each in trace(name) if each.text.strip().startswith(words)
    ]


# The probe.


@says(
    "A probe returns its …",
    "Its gradient function returns …",
    "So a probe …",
    "A probe: an …",
    was="'both are the same tensor': the probe shown returns a tf.identity of it",
)
@over(
    mode=MODES,
    shape=st.sampled_from([(), (2,), (0, 3), (2, 1, 2, 1, 3)]),
    dtype=st.sampled_from([*FLOATS, tf.complex64]),
    upstream=st.sampled_from([0, 3, 1e-30, float("inf"), float("nan")]),
    cases=40,
)
def test_the_probe_changes_nothing(mode, shape, dtype, upstream):
    seen, y = [], tf.cast(tf.fill(shape, 2), dtype)
    scale = tf.cast(tf.fill(shape, upstream), dtype)
    assert same(seeing(seen)(y), y)

    def loss(y):
        return tf.cast(tf.math.real(y * scale), tf.float64)

    probed = mode.gradient(seeing(seen), y, loss)
    assert same(probed, mode.gradient(tf.identity, y, loss))
    assert seen[0].shape == y.shape and seen[0].dtype == dtype
    assert mode is not EAGER or same(seen[0], probed)


@says(
    "The lines come …",
    "$r$ is computed …",
    "The program puts three …",
    "The probes print …",
    "At $r$: …",
    "At $s$: …",
    "The maximum of …",
    "At $h$: …",
    "For each of …",
    "The upstream gradient 0.5 …",
    "The points $h$ …",
    "The program computes the gradient of `W` in …",
)
def test_the_trace_of_the_probe():
    lines = trace("probe.py")
    assert lines[0].numbers == [5, 10, 0.6, 0.8, 0.6, 0.8] and 0.6**2 + 0.8**2 == 1
    texts = [each.text for each in lines]
    starts = [
        texts.index(mode) for mode in texts if mode.startswith(("eager", "tape "))
    ]
    first, second, third = (texts[at + 1 : at + 5] for at in starts)
    assert first == second == third and [each[0] for each in first[:3]] == [
        "r",
        "s",
        "h",
    ]
    r, s, h = lines[starts[0] + 1 : starts[0] + 4]
    least = [float(re.search(r"min (\S+)", each.text)[1]) for each in (r, s, h)]
    most = [float(re.search(r"max (\S+)", each.text)[1]) for each in (r, s, h)]
    assert least == [1 / 2, 0.5 / (2 * 10), 0.6 / 2] and most == [0.5, 0.05, 0.8 / 2]
    assert [least[2], most[2]] == [0.6 * 0.5, 0.8 * 0.5]
    probe = program("probe.py")
    assert probe.u.shape == (2, 2) and same(probe.u, probe.x @ probe.W - probe.c)
    assert same(probe.r[:, 0], [5, 10])
    h = probe.x @ probe.W
    of_h = EAGER.gradient(lambda h: tf.norm(h - probe.c, axis=-1), h)
    assert same(of_h, EAGER.gradient(lambda u: tf.norm(u, axis=-1), probe.u))
    assert same(of_h, [[0.6, 0.8]] * 2, 1e-6)


@says(
    "Use `tf.control_dependencies` to …",
    "In the gradient function of a probe, …",
    "The two probes …",
    "`calls` counts the …",
    "With the tape inside …",
    "With the tape outside a `tf.function`, the …",
    "The backward pass is …",
    "So a missing …",
    "The print in …",
    "In eager mode these …",
    "Otherwise the print …",
    "XLA raises an …",
    was="'With the tape around a tf.function': with jit_compile a counter does count",
)
@over(mode=MODES, x=numbers(1, 9))
def test_what_nobody_waits_for(mode, x):
    counts, called = [tf.Variable(0, trainable=False) for _ in range(2)], []

    def counting(ties):
        @tf.custom_gradient
        def probe(x):
            def grad(upstream):
                called.append(ties)
                ran = counts[ties].assign_add(1)
                with tf.control_dependencies([ran] if ties else []):
                    return tf.identity(upstream) if ties else upstream

            return tf.identity(x), grad

        return probe

    slope = mode.gradient(lambda x: counting(False)(x) * counting(True)(x), x)
    assert same(slope, 2 * x) and sorted(called) == [False, True]
    assert [int(each) for each in counts] == [0 if mode is AROUND else 1, 1]
    prints = tf.custom_gradient(
        lambda x: (
            tf.identity(x),
            lambda up: (tf.print(up, output_stream=NOWHERE), up)[1],
        )
    )
    said = message(mode.gradient, lambda x: prints(x), x)
    assert ("Detected unsupported" in said) == (mode not in UNCOMPILED)


@says(
    "There are exceptions …",
    "If the probe is …",
    "The reason is that each …",
    was="'the print is dropped': not in a branch, a loop, map_fn or a nested tf.function",
)
@over(mode=[AROUND, *BLOCKS, *UNKNOWN], ties=[False, True])
def test_where_a_loose_print_runs(mode, ties):
    with tempfile.TemporaryDirectory() as folder:

        @tf.custom_gradient
        def probe(x):
            def grad(upstream):
                line = tf.print(upstream, output_stream=f"file://{folder}/printed")
                with tf.control_dependencies([line] if ties else []):
                    return tf.identity(upstream) if ties else upstream

            return tf.identity(x), grad

        assert same(mode.gradient(lambda x: tf.sqrt(probe(x)), 4.0), 0.25)
        found = os.listdir(folder)
    direct = mode is AROUND or mode in UNKNOWN or "strategy" in mode.name
    assert bool(found) == (ties or not (direct and mode in OUTSIDE))


@says("Deliberately wrong: a probe …")
def test_the_silent_trace():
    texts = [each.text.strip() for each in trace("wrong/silent.py")]
    assert [each.startswith("loose") for each in texts].count(True) == 2
    assert [each.startswith("tied") for each in texts].count(True) == 3
    assert "loose" not in " ".join(texts[texts.index("tape outside a tf.function") :])
    assert [each for each in texts if "gradient" in each][
        2
    ] == "gradient = 0.5  calls = 1"


# What a line says.


@says(
    "a norm of …",
    was="'a step nearer to the loss has slope 0 here': not in 5 x - 5 x, nor in 1e-30 * (1e-30 * x)",
)
@over(
    mode=UNCOMPILED,
    step={
        "slope 0": lambda x: tf.square(x - 2),
        "cancels": lambda x: 5 * x - 5 * x,
        "too small": lambda x: 1e-30 * (1e-30 * x),
    },
)
def test_a_norm_of_0(mode, step):
    assert mode.gradient(step, 2.0) == 0


@says(
    "the first line that …",
    "a gradient with a different shape …",
    "a gradient with a different dtype …",
    "You see — Look …",
)
@over(
    step={
        "root": (tf.sqrt, lambda up, x: up / (2 * tf.sqrt(x)), "not finite"),
        "sum": (lambda x: x * tf.ones([3, 1]), lambda up, x: up, "shape"),
        "cast": (lambda x: 2 * x, lambda up, x: tf.cast(2 * up, tf.float64), "dtype"),
    }
)
def test_what_a_line_says(step):
    value, rule, says = step
    behind, before = [], []
    f = tf.custom_gradient(lambda x: (value(x), lambda up: rule(up, x)))
    x = tf.constant([0.0, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = seeing(behind)(f(seeing(before)(x)))
    tape.gradient(y, x)
    seen = {
        "not finite": not np.isfinite(before[0]).all(),
        "shape": before[0].shape != x.shape,
        "dtype": before[0].dtype != x.dtype,
    }
    assert same(behind[0], tf.ones_like(y))
    assert [name for name, differs in seen.items() if differs] == [says]


@says(
    "no line — …",
    "In `result_not_used`, the …",
    "In `one_use_of_two`, two …",
    "Put a probe …",
)
@over(mode=MODES, x=numbers(1, 9))
def test_where_a_probe_stands(mode, x):
    aside, ended, partly, whole = [], [], [], []

    def run(x):
        seeing(aside)(x)
        end = tf.stop_gradient(seeing(ended)(x))
        y = seeing(whole)(x)
        return 5 * seeing(partly)(y) + y * y + 0 * end

    assert same(mode.gradient(run, x), 5 + 2 * x, 1e-6)
    assert [len(each) for each in (aside, ended, partly, whole)] == [0, 0, 1, 1]
    if mode is EAGER:
        assert partly[0] == 5 and same(whole[0], 5 + 2 * x, 1e-6)


@says(
    "So the probe …",
    "Compare what it prints …",
    "Then the probe shows …",
    "Deliberately wrong: a right …",
)
def test_the_places():
    texts = [each.text.strip() for each in trace("wrong/place.py")]
    unused, partly, whole = (
        texts.index(each)
        for each in ("result_not_used", "one_use_of_two", "at_its_source")
    )
    assert texts[unused + 1] == "gradient 11.0"
    shown = [each.numbers[0] for each in trace("wrong/place.py") if "up" in each.text]
    assert shown == [5, 11]
    assert texts[partly + 1] == "upstream = 5" and texts[whole + 1] == "upstream = 11"


# Where the NaN enters.


@says(
    "The loss is …",
    "TensorFlow raises no error, …",
    "Now one of …",
    "The first infinity …",
    "The first line with a NaN or an infinity is …",
    "The line before …",
    "Its gradient function multiplies …",
    "The NaN then …",
    "The path to …",
    "Deliberately wrong: a distance …",
)
def test_the_nan():
    lines = trace("wrong/nan.py")
    assert (
        lines[0].text == "h    = [[3.0, 4.0], [6.0, 8.0]]" and lines[2]["loss"] == 2.5
    )
    squares = lines[1].numbers
    assert squares.count(0) == 1 and len(squares) == 2
    counts = {
        found[1]: [int(found[2]), int(found[3])]
        for found in (
            re.search(r"of (\w+) .* nan (\d)  inf (\d)", e.text) for e in lines
        )
        if found
    }
    assert [*counts] == ["loss", "r", "s", "u", "h"]
    assert counts == {
        "loss": [0, 0],
        "r": [0, 0],
        "s": [0, 1],
        "u": [2, 0],
        "h": [2, 0],
    }
    assert lines.line("W:0").text.count("nan") == 4 and lines[-1].numbers[-1] == 2.5
    sample = np.array([[np.nan, np.nan], [0.3, 0.4]])
    x = np.array([[1.0, 2.0], [2.0, 4.0]])
    assert np.isnan(x.T @ sample).all() and np.isnan(np.inf * 0)
    assert len(lines) == 3 + 5 + 2
    center = program("wrong/nan.py").center.numpy()
    assert center.tolist() in np.reshape(lines[0].numbers, [2, 2]).tolist()
    assert np.isfinite([*lines[0].numbers, *squares, 2.5]).all()
    assert lines[2]["loss"] == 1.0 * np.mean(np.sqrt(squares))
    asked = [each.text for each in trace("tape.py")[:6]]
    assert [each.split()[0] for each in asked if "[ inf" in each] == ["s"]
    assert ["inf" in each or "nan" in each for each in asked[:2]] == [False, False]


@says(
    "So the cause …",
    "Its local derivative …",
)
@over(mode=MODES, dtype=st.sampled_from(FLOATS))
def test_the_root(mode, dtype):
    assert mode.gradient(tf.sqrt, tf.cast(0, dtype)) == np.inf


@says(
    "The first line with a NaN or an infinity shows …",
    "The first line comes …",
    "The first bad …",
)
@over(at=st.integers(0, 5), length=st.integers(6, 8))
def test_the_first_bad_line(at, length):
    seen = []
    with tf.GradientTape() as tape:
        x = y = tf.constant([0.5, 1.5])
        tape.watch(x)
        for step in range(length):
            y = tf.sin(seeing(seen)(y))
            y = y + tf.sqrt(tf.square(y - tf.reduce_max(y))) if step == at else y
    tape.gradient(y, x)
    bad = [not np.isfinite(each).all() for each in seen]
    assert bad.index(True) == length - 1 - at and all(bad[bad.index(True) :])


@says(
    "If your code …",
    "The tape also …",
    "Pass them all …",
    "Pass these tensors …",
    "You get the …",
    "The same backward …",
)
@over(wrap=WRAPS, x=arrays(3, numbers(-9, 9)))
def test_one_question(wrap, x):
    seen = []

    @wrap
    def slopes(x):
        seen.clear()
        with tf.GradientTape() as tape:
            tape.watch(x)
            h = seeing(seen)(x * 3)
            u = seeing(seen)(tf.sin(h) + h)
            y = seeing(seen)(h * u)
        return tape.gradient(y, [y, u, h]), [*seen]

    asked, probed = slopes(tf.constant(x))
    assert same(asked, probed) and len(probed) == 3


@says(
    "`tape.watched_variables()` lists the …",
    was="'the variables that were read': not those with trainable=False",
)
@over(wrap=WRAPS, inner=WRAPS)
def test_watched_variables(wrap, inner):
    w, frozen, unread = (
        tf.Variable(2.0, trainable=each) for each in (True, False, True)
    )
    model = inner(lambda: w * w * frozen)

    @wrap
    def slopes():
        with tf.GradientTape() as tape:
            y = model()
        [read] = tape.watched_variables()
        assert read is w and read is not unread
        return tape.gradient(y, read)

    assert slopes() == 2 * 2 * 2


@says(
    "NaN times anything …",
    "If it does …",
    "At every place farther …",
    "Two runs at …",
    "Step 23 passes …",
    "So the NaN enters in the gradient …",
    "If a function has …",
    "Whether the gradient …",
    "One probe, a …",
)
@over(place=st.integers(1, 62), cases=4)
def test_bisection(place):
    halving = program("halving.py")
    steps, usual = halving.STEPS, [tf.sin, tf.tanh, tf.sigmoid, tf.square] * 16
    root = steps[22]
    steps[:] = usual
    steps[place] = root
    assert len(steps) == 64
    bits = [halving.passes_on_finite(each) for each in range(0, 64, 3)]
    assert bits == [each > place for each in range(0, 64, 3)]
    with tf.GradientTape() as tape:
        tape.watch(x := tf.constant([0.5, 1.5]))
        at = [x]
        for step in steps:
            at.append(step(at[-1]))
    every = tape.gradient(at[-1], at[:-1])
    assert np.isfinite(every[place + 1 :]).all() and np.isnan(every[: place + 1]).all()
    bad, fine, runs = 0, 63, 0
    while fine - bad > 1:
        middle = (bad + fine) // 2
        bad, fine = (
            (bad, middle) if halving.passes_on_finite(middle) else (middle, fine)
        )
        runs += 1
    assert bad == place and runs <= 6
    lines = printed("halving.py", "step")
    assert len(lines) == 2 + 6
    places = [int(each.split()[1].rstrip(":")) for each in lines]
    fine = [at for at, each in zip(places, lines) if each.endswith("True")]
    bad = [at for at, each in zip(places, lines) if each.endswith("False")]
    assert min(fine) == 23 and max(bad) == 22


def above_2(x):
    return tf.nn.relu(x - 2)


def first_is_nan(y):
    return y * tf.constant([np.nan, 1.0])


@says(
    "For example, the …",
    "Bisection assumes that …",
    "With `tf.where`, `tf.maximum` …",
    "If your program …",
    "If it sets …",
    "But under XLA, …",
    "`tf.nn.relu` keeps the …",
    "Deliberately wrong: gradients …",
    was="'multiplies with it': under XLA the rule of relu sends 0 where upstream is NaN",
)
@over(
    mode=MODES,
    step=st.sampled_from(
        ["2.0 * x", "tf.where", "tf.maximum", "tf.clip_by_value", "tf.nn.relu"]
    ),
    dtype=st.sampled_from(FLOATS[2:]),
    cases=48,
)
def test_rules_that_select(mode, step, dtype):
    x = tf.constant([1.0, 4.0])
    function = program("wrong/selects.py").STEPS[step]
    slope = mode.gradient(function, x, first_is_nan)
    keeps = step == "2.0 * x" or (step == "tf.nn.relu" and mode in UNCOMPILED)
    assert np.isnan(slope[0]) if keeps else slope[0] == 0
    relu = mode.gradient(above_2, tf.cast(x, dtype), tf.square)
    assert relu[0] == 0


# By enable_check_numerics.


@contextlib.contextmanager
def checking():
    tf.debugging.enable_check_numerics()
    try:
        yield
    finally:
        tf.debugging.disable_check_numerics()


@tf.custom_gradient
def hides_log(x):
    """Infinite inside its gradient function, and finite in its result."""

    def grad(upstream):
        return tf.where(tf.math.log(x - x) < 0, upstream, upstream)

    return 2 * x, grad


def takes_log(x):
    @tf.custom_gradient
    def bad(x):
        def grad(upstream):
            return upstream * tf.math.log(x - x)

        return 2 * x, grad

    return bad(x)


@says(
    "`tf.debugging.enable_check_numerics()` checks the …",
    "It doesn't check complex …",
    "The error message …",
    "It raises an error at …",
    "In eager mode the message …",
    "In a graph the message …",
    "AutoGraph makes a …",
    "For example, line …",
    "With the tape outside the graph, only …",
    "With the tape outside the graph, the message …",
    "`enable_check_numerics` checks the …",
    was=(
        "'raises at the first number': 0 / 0 in complex64 passes",
        "'the lines of Python that made the operation': of AutoGraph's copy, numbered otherwise",
        "'names the operation': with the tape around the graph, the backward function",
    ),
)
@over(mode=UNCOMPILED, dtype=st.sampled_from(FLOATS), cases=12)
def test_check_numerics_everywhere(mode, dtype):
    lines = includes.read(tries.folder / "wrong/numerics.py").splitlines()
    at = 1 + [each.strip() for each in lines].index("return BAD[name](upstream)")
    text = trace("wrong/numerics.py").line("takes_log         graph").text
    assert (at, int(re.search(r"\(L(\d+)\) grad", text)[1])) == (20, 25)
    x = tf.cast([0, 4], dtype)
    with checking():
        hidden = message(mode.gradient, lambda x: hides_log(x), x)
        said = message(mode.gradient, takes_log, x)
        forward = message(EAGER.gradient, lambda x: tf.math.log(x - 4), x)
        divided = message(
            mode.gradient, lambda x: x / (x - x), tf.cast(x, tf.complex64)
        )
    assert 'output 0 of eagerly-executing op "Log"' in forward
    assert "of complex tensors" in divided or not divided
    assert ('graph op "Log"' in said) == (mode in GRAPHS and mode is not AROUND)
    assert ('eagerly-executing op "Log"' in said) == (mode in (EAGER, PERSISTENT))
    assert ('op "__inference___backward_' in said) == (mode is AROUND)
    assert (hidden == "") == (mode is AROUND)
    lists_lines = re.search(r"__autograph_\w+\.py \(L\d+\) grad\b", said) is not None
    assert lists_lines == (mode in GRAPHS and mode is not AROUND)
    with checking():
        said = message(mode.gradient, tf.sqrt, x)
    assert ("0: tf.Tensor([" in said) == (mode in (EAGER, PERSISTENT, AROUND))


@says(
    "Only results of …",
    "In eager mode, an …",
    "In a graph, both …",
)
@over(
    mode=[EAGER, PERSISTENT, INSIDE, NESTED, SYMBOLIC],
    rule={
        "constant": lambda up: tf.constant([np.nan, 1], tf.float32),
        "numpy_function": lambda up: tf.numpy_function(
            lambda u: u * np.float32(np.nan), [up], tf.float32
        ),
    },
)
def test_check_numerics_of_arrays(mode, rule):
    f = tf.custom_gradient(lambda x: (2 * x, rule))
    with checking():
        said = message(mode.gradient, f, tf.constant([0.0, 4.0]))
    assert ("InvalidArgumentError" in said) == (mode in GRAPHS)
    assert mode not in GRAPHS or 'op "Const"' in said or 'op "PyFunc"' in said


@says(
    "Some operations that …",
    "In contrast, `tf.where` …",
    "For example, in eager …",
    "A bfloat16 scalar …",
    "A bfloat16 array …",
    was=(
        "'checks what operations return': tf.maximum(nan, 1.0) passes",
        "'never checks operations that only select, move or fill': tf.where raises",
    ),
)
@over(
    call={
        "maximum": lambda x: tf.maximum(x, 1.0),
        "minimum": lambda x: tf.minimum(x, 1.0),
        "fill": lambda x: tf.fill([2], np.float32(np.nan)),
        "slice": lambda x: x[:1],
        "reshape": lambda x: tf.reshape(x, [2, 1]),
        "concat": lambda x: tf.concat([x, x], 0),
        "unstack": tf.unstack,
        "transpose": tf.transpose,
    },
)
def test_operations_that_are_not_checked(call):
    x = tf.constant([np.nan, 1.0], tf.float32)
    with checking():
        assert not message(call, x)
        assert np.isnan(np.asarray(call(x)).ravel()[0])
        checked = [lambda x: tf.where(x < 9, x, x), lambda x: tf.gather(x, [0])]
        for other in (tf.reduce_sum, tf.negative, lambda x: x * 1.0, *checked):
            assert "InvalidArgumentError" in message(other, x)
    scalar, row = tf.cast(1.0, tf.bfloat16), tf.cast([1.0], tf.bfloat16)
    with checking():
        assert message(lambda: scalar * 2).startswith("ValueError")
        assert not message(lambda: row * 2)
        assert "InvalidArgumentError" in message(lambda: tf.math.log(row - row))


@says(
    'In eager mode, the message for "then a …',
    "The NaN comes from …",
    "The message also lists …",
    "So look at the inputs …",
)
def test_the_blamed_operation():
    outside = tf.custom_gradient(
        lambda x: (
            2 * x,
            lambda up: tf.numpy_function(
                lambda u: u * np.float32(np.nan), [up], tf.float32
            ),
        )
    )
    with checking():
        said = message(EAGER.gradient, lambda x: outside(tf.sin(x)), [0.0, 4.0])
    assert 'op "Mul"' in said and "0: tf.Tensor([nan nan]" in said
    [line] = printed("wrong/numerics.py", "then a product    eager")
    assert line.endswith('"Mul"')


@says(
    "`enable_check_numerics` raises an …",
    "In the first two …",
    "The program prints …",
    "Deliberately wrong: NaN …",
)
@over(mode=[EAGER, INSIDE, NESTED, SYMBOLIC])
def test_an_infinity_is_an_error(mode):
    masked = lambda x: tf.nn.softmax(x + tf.constant([-np.inf, 0]))  # noqa: E731
    with checking():
        assert "Infinity" in message(mode.gradient, masked, [0.0, 4.0])
        assert "Infinity" in message(mode.gradient, tf.sqrt, [0.0, 4.0])
    assert same(masked(tf.constant([0.0, 4.0])), [0, 1])
    lines = printed("wrong/numerics.py", "a built-in grad", "takes_log")
    assert ["grad" in each.split('"')[2] for each in lines] == [
        False,
        False,
        False,
        True,
    ]


# A guard in the rule.


@says(
    "To stop at …",
    "XLA leaves the check out.",
    '`tf.debugging.check_numerics(upstream, "h")` returns …',
    "You can also put …",
    "The program compares five …",
    "Look for the two …",
    "Two checks raise …",
    "Return what the …",
    "If you drop …",
    "`tf.debugging.assert_all_finite` in the …",
    "XLA silently leaves …",
    "In contrast, XLA …",
    "Deliberately wrong: guards …",
)
@over(mode=MODES)
def test_the_guards(mode):
    guards = program("wrong/guards.py").GUARDS
    spoke = {
        name: "h : Tensor had Inf" in said or "b'h' : Tensor had Inf" in said
        for name, guard in guards.items()
        for said in [
            message(mode.gradient, lambda x, g=guard: tf.sqrt(g(x)), [0.0, 4.0])
        ]
    }
    compiled = mode not in UNCOMPILED
    assert len(spoke) == 5 and (mode is not AROUND or sum(spoke.values()) == 2)
    assert [*spoke.values()] == [
        *[not compiled and mode is not AROUND] * 2,
        not compiled,
        False,
        not compiled,
    ]


def test_the_guards_let_finite_numbers_through():
    for guard in program("wrong/guards.py").GUARDS.values():
        assert same(
            EAGER.gradient(lambda x, g=guard: tf.sqrt(g(x)), [1.0, 4.0]), [0.5, 0.25]
        )
    assert raised(program("wrong/guards.py").finite, tf.constant(np.nan), "h")


# The check.


@says(
    "A probe must …",
    "In eager mode the gradients …",
    "In a graph the last …",
    "If you instead …",
    "The reason is that TensorFlow …",
    was="'not a bit differs': with a probe at one of four uses and nothing in its place, 4.8e-7",
)
@over(
    mode=MODES,
    places=st.lists(st.booleans(), min_size=4, max_size=4),
    x=arrays(50, numbers(-2, 2)),
)
def test_bits(mode, places, x):
    def at_some(watch, places=places):
        def run(x):
            a, b, c, d = (watch(x) if each else x for each in places)
            return tf.sin(a) * 1.3 + tf.exp(b) * 0.7 + tf.tanh(c) + 0.1 * d * d

        return run

    probed, plain = (
        mode.gradient(at_some(each), x) for each in (seeing([]), tf.identity)
    )
    eager = mode in (EAGER, PERSISTENT)
    assert same(probed, plain, 0 if eager else 1e-5)
    if eager:
        x = tf.constant(np.random.default_rng(0).normal(size=1000), tf.float32)
        probed, plain = (
            mode.gradient(at_some(seeing([]), [each, False, False, False]), x)
            for each in (True, False)
        )
        assert 0 < np.max(abs(probed - plain)) < 1e-6


@says(
    "The program puts four …",
    "Then it computes …",
    "At the end …",
    "The program compares the …",
    "The counter shows …",
    "It ran four …",
    "It ran three …",
    "Probes change no …",
)
@over(wrap=WRAPS)
def test_the_check(wrap):
    lines = trace("check.py")
    assert (
        lines.all("eager calls of grad") + lines.all("graph calls of grad")
        == [4 + 3] * 2
    )
    assert all(each.text.endswith("True") for each in lines if "equal" in each.text)
    check, runs = program("check.py"), []
    assert check.x.shape == 1000

    def at_inner(x):
        check.calls.assign(0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            h = check.probe(tf.tanh(check.probe(x) * 1.5))
            y = check.probe(h * tf.exp(check.probe(-h * h)))
        tape.gradient(y, x)
        runs.append(int(check.calls))

    at_inner(check.x)
    check.calls.assign(0)
    wrap(check.both_orders)(check.x, check.probe)
    assert runs == [4] and check.calls == 4 + 3
    assert runs[0] == 4 and int(check.calls) - runs[0] == 3


# Layer by layer.


def chain(gain, weights_alone=False):
    """The norms of upstream, from the first layer to the last, and the values."""
    rng = np.random.default_rng(0)
    y, layers = rng.normal(size=(32, 1)), []
    for _ in range(40):
        weights = gain / 32**0.5 * rng.normal(size=(32, 32))
        y = np.tanh(weights @ y)
        layers.append((weights, y))
    upstream, norms = np.full((32, 1), 32**-0.5), []
    for weights, y in reversed(layers):
        norms.append(np.linalg.norm(upstream))
        upstream = weights.T @ (upstream * (1.0 if weights_alone else 1 - y * y))
    return np.array(norms[::-1]), layers


@says(
    "Norm of the …",
    "Toward the first, …",
    "Gain 0.5: the …",
    "Gain 3.0: the …",
    "But the values …",
    "Only the weights …",
    "In a chain, …",
    "If each layer …",
    "norms that shrink …",
    "The norm of …",
)
def test_the_chain():
    norms = {gain: chain(gain)[0] for gain in (0.5, 1.0, 2.0, 3.0)}
    factors = [each.numbers[-1] for each in trace("chain.py")]
    for line, (gain, norm) in zip(trace("chain.py"), norms.items(), strict=True):
        assert same(norm[-1], 1, 1e-9) and f"gain {gain}" in line.text
        assert same((norm[0] / norm[-1]) ** (1 / 39), line.numbers[-1], 0.01)
    assert len(factors) == 4 and factors[0] == 0.51 and factors[-1] == 1.31 < 3 / 2
    steps = {gain: np.diff(np.log10(norm)) for gain, norm in norms.items()}
    assert 11 <= np.log10(norms[0.5][-1] / norms[0.5][0]) < 12
    line = np.polyfit(range(40), np.log10(norms[0.5]), 1)
    assert np.max(abs(np.polyval(line, range(40)) - np.log10(norms[0.5]))) < 0.3
    assert np.max(abs(np.log10(norms[1.0]))) < 0.5
    for gain in (2.0, 3.0):
        assert norms[gain][0] > 500 and (steps[gain] > 0).any()
        assert np.std(steps[gain]) > 0.5 * abs(np.mean(steps[gain]))
    small, flat = (chain(gain)[1] for gain in (0.5, 3.0))
    assert np.max(abs(small[10][1])) < 0.01
    assert np.mean([1 - y * y for _, y in flat]) < 0.5
    alone = chain(3.0, weights_alone=True)[0]
    assert same(alone[0] ** (1 / 39), 3, 0.05)


@says(
    "The gradient function of this …",
    "The list works …",
    "In a graph, each …",
)
@over(mode=[EAGER, INSIDE, AROUND, NESTED, XLA, SYMBOLIC])
def test_a_list_in_a_graph(mode):
    found = []
    graph = tf.function(lambda x: INSIDE.gradient(seeing(found), x))
    calls = [tf.constant(each) for each in (1.0, 2.0, [1.0], [2.0])]
    for x in calls:
        graph(x)
    assert len(found) == 2 and not any(hasattr(each, "numpy") for each in found)
    found.clear()
    mode.gradient(seeing(found), 1.0)
    assert len(found) == 1 and hasattr(found[0], "numpy") == (mode is EAGER)
    found.clear()

    @tf.function
    def layers(x):
        def forty(x):
            for _ in range(40):
                x = seeing(found)(tf.tanh(x))
            return x

        return INSIDE.gradient(forty, x)

    for x in (1.0, 2.0):
        layers(tf.constant(x))
    assert len(found) == 40 and not any(hasattr(each, "numpy") for each in found)


# Where it breaks.


@says(
    "Python's `print` isn't …",
    "Inside `tf.function` it …",
    "It does show …",
)
@over(
    sizes=st.lists(st.integers(1, 3), min_size=1, max_size=5),
    scales=st.lists(st.sampled_from([1, 1.0, 2.0, -3, 0.5]), min_size=5, max_size=5),
    as_tensor=[True, False],
)
def test_tracings(sizes, scales, as_tensor):
    traced = []
    runs = tf.Variable(0, trainable=False)

    @tf.custom_gradient
    def square(x):
        def grad(upstream):
            traced.append(f"{upstream} {upstream.shape}")
            with tf.control_dependencies([runs.assign_add(1)]):
                return tf.identity(upstream) * 2 * x

        return x * x, grad

    @tf.function
    def slope(x, scale):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = scale * square(x)
        return tape.gradient(y, x)

    for size, scale in zip(sizes, scales):
        slope(tf.fill([size], 0.5), tf.constant(float(scale)) if as_tensor else scale)
    kinds = {(size, 0 if as_tensor else scale) for size, scale in zip(sizes, scales)}
    assert len(traced) == slope.experimental_get_tracing_count() == len(kinds)
    assert runs == len(sizes)
    assert not any("numpy" in each or "0.5" in each for each in traced)
    assert {each.split("(")[-1] for each in traced} == {f"{each},)" for each in sizes}


@says(
    "A Python function …",
    "Returns nothing.",
    "The trace looks …",
    was="'the training stops': only of what lies before the probe",
)
@over(mode=MODES, x=numbers(1, 9))
def test_returns_nothing(mode, x):
    silent = tf.custom_gradient(lambda x: (tf.identity(x), lambda upstream: None))
    assert mode.gradient(lambda x: tf.square(silent(x)), x) is None
    before, behind = mode.gradients(lambda x, w: w * silent(x), x, 1.0)
    assert before is None and same(behind, x)
    assert printed("wrong/lost.py", "upstream") == ["upstream = 6"]


@says(
    "Through NumPy.",
    "Each of these …",
    "The first derivative …",
    "In a graph there …",
    "Return `upstream` itself, …",
    "Deliberately wrong: probes …",
)
@over(
    wrap=WRAPS,
    returned={
        "upstream": (lambda up: up, 2),
        "identity": (tf.identity, 2),
        "NumPy": (lambda up: tf.constant(up.numpy()), None),
    },
    x=numbers(1, 9),
)
def test_through_numpy(wrap, returned, x):
    rule, second = returned
    probe = tf.custom_gradient(lambda x: (tf.identity(x), rule))

    @wrap
    def slopes(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            first = EAGER.gradient(lambda x: tf.square(probe(x)), x)
        return first, outer.gradient(first, x)

    if second is None and wrap is tf.function:
        assert "no attribute 'numpy'" in message(slopes, tf.constant(x))
    else:
        assert same(slopes(tf.constant(x)), (2 * x, second))


@says(
    "With `jit_compile=True`, XLA …",
    "The messages name operations …",
    "Deliberately wrong: two …",
)
@over(mode=[XLA, AROUND_XLA])
def test_xla(mode):
    @tf.custom_gradient
    def probe(x):
        def grad(upstream):
            line = tf.print("upstream =", upstream)
            with tf.control_dependencies([line]):
                return tf.identity(upstream)

        return tf.identity(x), grad

    said = message(mode.gradient, lambda x: tf.sqrt(probe(x)), [1.0, 4.0])
    with checking():
        checked = message(mode.gradient, tf.sqrt, [1.0, 4.0])
    tools = (said, "StringFormat"), (checked, "DebugNumericSummaryV2")
    assert len(tools) == 2
    for each, name in tools:
        assert "Detected unsupported operations" in each and f"JIT: {name}" in each


@says(
    "Two probes around one …",
    "The probe on …",
    "The quotient is …",
    "The loss must …",
    "A gradient function that …",
    "Two probes around a …",
)
@over(x=arrays(3, numbers(1, 9)), forgets=[True, False], squared=[True, False])
def test_two_probes_weigh(x, forgets, squared):
    seen = []
    step = tf.custom_gradient(
        lambda x: (x * x, lambda up: 2 * x if forgets else up * 2 * x)
    )
    y_of = lambda x: seeing(seen)(step(seeing(seen)(x)))  # noqa: E731
    EAGER.gradient(y_of, x, loss=lambda y: y * y if squared else y)
    upstream, downstream = seen
    assert same(upstream, 2 * tf.square(x) if squared else tf.ones_like(x), 1e-6)
    right = np.allclose(downstream / upstream, 2 * x, 1e-5)
    assert right == (not (forgets and squared))


@says(
    "The program measures …",
    "For the square, …",
    "For the cube, …",
    "For a cube …",
    "In the program, …",
    "twice the derivative",
    "Use it on …",
)
def test_the_solution():
    lines = trace("solution.py")
    weighed = [each.numbers for each in lines if "differences" in each.text]
    locals_, differences = ([each[at : at + 2] for each in weighed] for at in (0, 2))
    assert locals_[0] == differences[0] == [2, 4]
    assert locals_[1] == [6, 24]
    assert [each / (3 * x**2) for each, x in zip(locals_[1], (1, 2))] == [2, 2]
    assert differences[1] == [3 * x**2 + 0.125**2 for x in (1, 2)]


history(
    "This is how …",
    "Glorot and Bengio, …",
    "The weights here …",
)
# Hooks.


def hook(look, tied):
    @tf.custom_gradient
    def identity(x):
        def grad(upstream):
            with tf.control_dependencies([look(upstream)] if tied else []):
                if not tied:
                    look(upstream)
                return tf.identity(upstream)

        return tf.identity(x), grad

    return identity


@says(
    "The gradient function of a hook …",
    "Like the probe, …",
    "Three hooks that …",
)
@over(mode=MODES, tied=[True, False])
def test_what_a_hook_does_on_the_side(mode, tied):
    calls = tf.Variable(0)
    watching = hook(lambda upstream: calls.assign_add(1), tied)
    assert same(mode.gradient(watching, 2.0, lambda y: y * y), 4.0)
    assert int(calls) == (0 if mode is AROUND and not tied else 1)


@says(
    "The check also …",
    "Stop with an error …",
)
@over(mode=MODES)
def test_stopping(mode):
    ran = []

    def look(upstream):
        ran.append(upstream)
        return tf.debugging.check_numerics(upstream, "upstream of here")

    born = lambda x: 0.0 * tf.math.log(0.0 * hook(look, True)(x))  # noqa: E731
    said = message(mode.gradient, born, 1.0)
    compiled = mode in (XLA, AROUND_XLA)
    assert (said == "") == compiled and len(ran) == 1
    assert compiled or "here : Tensor had NaN values" in said or "CheckNumerics" in said
    assert compiled == (
        said == "" and bool(np.isnan(mode.gradient(born, 1.0))) if not said else False
    )
    stops = trace("hooks.py").starting("stops")
    assert [each.text for each in stops] == [
        "stops: upstream of hidden : Tensor had NaN values"
    ] * 3


@says(
    "In the last three …",
    "The last three runs produce …",
    "The first of …",
    "At `square` the …",
    "There is no NaN …",
    "The check named …",
    "Print a norm …",
    "So the NaN enters between …",
)
def test_where_the_nan_is_born():
    lines = trace("hooks.py")
    square = lines.starting("at square")
    assert np.isfinite(square[0].numbers[0]) and len(square[1:]) == 3
    assert {each.text for each in square[1:]} == {"at square norm inf shape [2]"}
    assert lines[-2].text == "at square norm inf shape [2]"
    assert "nan" not in lines[-2].text and "hidden" in lines[-1].text
    h = tf.constant([2.0, 0.0])
    root, square = EAGER.gradients(
        lambda r, s: tf.exp(0.1 * r) + tf.sqrt(s), tf.sqrt(h * h), h * h
    )
    assert np.isfinite(root).all() and np.isinf(square[1])
    assert np.isnan(np.inf * 0.0) and np.isnan(
        EAGER.gradient(lambda h: tf.sqrt(h * h), h)[1]
    )


@says(
    "`tf.histogram_fixed_width` counts numbers …",
    "For NaN it …",
    was="'counts what lies outside': NaN raises InvalidArgumentError",
)
@over(
    graph=[lambda f: f, tf.function],
    x=numbers(finite=False, around=[-0.4, 0.4]),
    cases=100,
)
def test_the_histogram(graph, x):
    count = graph(lambda x: tf.histogram_fixed_width(x, [-0.4, 0.4], nbins=6))
    if np.isnan(x):
        assert "must not contain NaN" in message(count, tf.constant([x]))
    else:
        bins = np.asarray(count(tf.constant([x])))
        assert bins.sum() == 1
        assert bins[0] == (x < -0.4 + 0.8 / 6) or abs(x + 0.4 - 0.8 / 6) < 1e-6
        assert bins[-1] == (x >= 0.4 - 0.8 / 6) or abs(x - 0.4 + 0.8 / 6) < 1e-6


# Try it.


@says(
    "Let `p = probe(x)` …",
    "The probe prints 4, …",
    "The gradient is 7, …",
)
@over(mode=MODES)
def test_a_probe_in_a_sum(mode):
    def of_sum(x, seen):
        seeing = tf.custom_gradient(
            lambda x, seen: (tf.identity(x), lambda upstream: (upstream, upstream))
        )
        p = seeing(x, seen)
        return p * p + 3.0 * x

    gradient, seen = mode.gradients(of_sum, 2.0, 0.0)
    assert gradient == 7 and seen == 4


@says(
    "Bisection needs at most …",
    "After the two runs …",
    "Each further run …",
    "A chain has 1024 …",
)
@over(at=st.integers(0, 1022))
def test_runs_of_bisection(at):
    bad, fine, runs = 0, 1023, 2
    assert len(range(1024)) == 1024 and fine - bad == 1023
    while fine - bad > 1:
        middle, runs = (bad + fine) // 2, runs + 1
        bad, fine = (middle, fine) if middle <= at else (bad, middle)
    halvings, ends = runs - 2, 2
    assert 2**10 >= 1023 > 2**9
    assert runs <= 12 and halvings <= 10 and ends == 2 and fine - bad == 1


definition(
    "One layer of …",
    "A trace also …",
    "The upstream gradient is …",
    "A hook is …",
    "A probe is a …",
)
advice(
    "You need the …",
    "Read a trace of the backward pass from the loss toward …",
    "If the program …",
    "If an intermediate …",
    "In this case, …",
    "So look for …",
    "Write `weigh(name, step, x)` …",
    "The function should …",
)
pointer(
    "For other symptoms, …",
    "The tape explains …",
    "The norm at zero shows …",
    "the log repeats …",
    "no warning on …",
)
pointer(
    "The tool is …",
    "Look at the order …",
    "The lines that …",
    "Open the program …",
    "Compare `first` and …",
    "Compare the first …",
    "Find the first …",
    "The probe is right, …",
    "Make two quick …",
    "Predict: a probe …",
    "Predict: how many …",
    "Derive: measure a …",
    "How much does …",
    "How many runs …",
    "For what to do …",
)
advice("After this page …", "Put it in …")
pointer("The next step …", "Count in bins.")
