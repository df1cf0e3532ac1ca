"""What the page on graphs says in words."""

import contextlib
import gc
import pathlib
import re
import tempfile
from unittest import mock

from tensorflow.python.eager import record
from tensorflow.python.framework import func_graph, ops

from truth.modes.seen import in_fit
from truth.statements.tries import *

EAGERS = [EAGER, PERSISTENT]
BESIDE = [EAGER, PERSISTENT, INSIDE, XLA]
"""The tape is open where the rule is."""
UNCOMPILED = [EAGER, PERSISTENT, INSIDE, AROUND, NESTED, SYMBOLIC]


def squaring(seen=None, rule=lambda upstream: None):
    """x², which says what Python called: the function, and its rule."""
    seen = [] if seen is None else seen

    @tf.custom_gradient
    def square(x):
        seen.append("forward")

        def grad(upstream):
            seen.append(upstream)
            rule(upstream)
            return upstream * 2.0 * x

        return x * x, grad

    return square


def rules():
    return [
        name
        for name in ops.gradient_registry.list()
        if name.startswith("CustomGradient-")
    ]


def forwards(seen):
    return sum(isinstance(each, str) for each in seen)


def of_rule(seen):
    return [each for each in seen if tf.is_tensor(each)]


def taped(function, x, persistent=False):
    with tf.GradientTape(persistent) as tape:
        tape.watch(x)
        y = function(x)
    return tape, y


# A record, or a name.


@says(
    "When the decorated …",
    "`grad` is a …",
    "TensorFlow can find …",
    "Each backward pass …",
    "A record on …",
    "The entry has …",
    "In the backward …",
    "A name in …",
    "In a graph, the …",
    "This operation has …",
    "In eager mode, there …",
    "How many gradient functions are registered, and under …",
)
@over(mode=MODES)
def test_record_and_name(mode):
    entries, names, seen = [], [], []
    square = squaring(seen)

    def noted(x):
        before = {*rules()}
        y = square(x)
        names.extend({*rules()} - before)
        if mode not in EAGERS:
            [name] = names
            [op] = [
                each for each in y.graph.get_operations() if each.type == "IdentityN"
            ]
            assert op.get_attr("_gradient_op_type").decode() == name
            assert [each is x for each in op.inputs] == [False, True]
            count = len(of_rule(seen))
            _, slope = ops.gradient_registry.lookup(name)(op, tf.ones([]), None)
            assert slope is not None and len(of_rule(seen)) == count + 1
        return y

    kept = record.record_operation

    def spy(*given, **options):
        if given[0] == "square":
            entries.append(given[1:])
        return kept(*given, **options)

    with mock.patch.object(record, "record_operation", spy):
        assert same(mode.gradient(noted, 3.0), 6.0)
    [(outputs, inputs, backward)] = entries
    assert len(inputs) == len(outputs)
    assert len(names) == (mode not in EAGERS)
    assert len(outputs) == (1 if mode in EAGERS else 2)
    if mode in EAGERS:
        count = len(of_rule(seen))
        assert same(backward(tf.constant(10.0)), [60.0])
        assert len(of_rule(seen)) == count + 1


@says(
    "Defining the function …",
    "While TensorFlow traces …",
    "So the graph of …",
    "In the graph, …",
    "The next program counts the entries …",
    "A second call …",
)
def test_registry():
    lines = trace("registry.py")
    assert lines.all("registered") == [] and len(lines) > 8
    counts = [each.numbers[-1] for each in lines if "registered" in each.text]
    assert counts == [0, 0, 1, 1, 2, 4]
    assert "IdentityN(Mul, Placeholder)  named CustomGradient-N" in lines[-2].text
    before = len(rules())
    square = squaring()
    assert same(EAGER.gradient(square, 3.0), 6.0) and len(rules()) == before
    for calls in (1, 2, 3):
        before = len(rules())
        graph = tf.function(lambda x: tf.add_n([square(x) for _ in range(calls)]))
        graph(tf.constant(3.0))
        assert len(rules()) == before + calls
        graph(tf.constant(4.0))
        assert len(rules()) == before + calls
        assert graph.experimental_get_tracing_count() == 1


@says(
    "The next program shows …",
    "While the graph …",
    "The record on …",
    "If the result …",
    "6: the record …",
    "The tape was …",
    "`model.fit` works like …",
    "100: the name …",
    "A tape outside …",
    "TensorFlow differentiates the …",
    "The same holds …",
    "Deliberately wrong: a graph's …",
)
@over(mode=[*MODES, "fit"])
def test_swapped(mode):
    swapped = program("wrong/swapped.py").swapped
    if mode == "fit":
        assert same(in_fit(swapped, 3.0), [6.0])
        return
    assert same(mode.gradient(swapped, 3.0), 6.0 if mode in BESIDE else 100.0)


@says(
    "Whether TensorFlow uses …",
    "A gradient that …",
    "For an integer …",
)
@over(mode=MODES)
def test_what_hangs_on_it(mode):
    name = f"Tenfold{len(ops.gradient_registry.list())}"
    tf.RegisterGradient(name)(lambda op, upstream: 10.0 * upstream)

    def overridden(x):
        with tf.compat.v1.get_default_graph().gradient_override_map({"Tanh": name}):
            return tf.tanh(x)

    found = mode.gradient(overridden, 0.0)
    assert same(found, 1.0 if mode in BESIDE else 10.0)
    arrived = []

    @tf.custom_gradient
    def two(x):
        def grad(upstream, of_integer):
            arrived.append(of_integer)
            return 2.0 * upstream

        return (2.0 * x, tf.constant(1)), grad

    assert same(mode.gradient(lambda x: two(x)[0], 3.0), 2.0)
    assert (arrived[0] is None) == (mode not in BESIDE)


@says(
    "A saved model holds …",
)
@over(kept=[True, False])
def test_saved(kept):
    module = tf.Module()
    module.run = tf.function(squaring(), input_signature=[tf.TensorSpec([])])
    with tempfile.TemporaryDirectory() as folder:
        options = tf.saved_model.SaveOptions(experimental_custom_gradients=kept)
        tf.saved_model.save(module, folder, options=options)
        saved = pathlib.Path(folder, "saved_model.pb").read_bytes()
    names = re.findall(rb"CustomGradient-\d+", saved)
    assert len({*names}) == 1 and names[0].decode() in rules()


# When Python calls the rule.


@says(
    "After this page …",
    "The answer depends …",
    "The table shows when …",
    "eagerly — in …",
    "inside the `tf.function`, …",
    "outside the `tf.function` …",
    "outside, with a …",
    "inside an outer …",
    "in a graph, with …",
    "The outputs on …",
    "The next program takes two steps …",
    "It prints what …",
    "`request` comes directly …",
    "When Python calls …",
)
def test_the_trace():
    lines = trace("graphs.py")
    assert len({each.text.split("  ")[0] for each in lines}) == 7 and len(lines) == 14
    called = {}
    for each in lines:
        place, _, python = each.text.partition(" step ")
        called.setdefault(place.strip(), []).append(python.partition("Python: ")[2])
    number, symbol = "grad(1.0)", "grad(symbolic)"
    inside = [f"forward request {symbol}", "nothing"]
    assert called == {
        "eager": [f"forward request {number}"] * 2,
        "tape inside": inside,
        "XLA": inside,
        "tape around": [f"forward {symbol} request", "request"],
        "persistent": [f"forward {symbol} {symbol} {symbol} request", "request"],
        "nested": inside,
        "tf.gradients": inside,
    }
    assert all("downstream 6.0" in each.text for each in lines)


@says(
    "After that, each …",
    "In a graph, Python …",
    "Eagerly, each step …",
    "Inside the `tf.function`, …",
    "The upstream gradient …",
    "So in a graph, …",
    "If `grad` appends …",
)
@over(mode=MODES, steps=[1, 2, 5])
def test_calls(mode, steps):
    seen, eagerly = [], []
    square = squaring(seen, lambda _: eagerly.append(tf.executing_eagerly()))
    for step in range(steps):
        assert same(mode.gradient(square, 3.0 + step), 6.0 + 2.0 * step)
    upstreams = of_rule(seen)
    if mode in EAGERS:
        assert forwards(seen) == len(upstreams) == steps
        assert all(eagerly) and all(same(each, 1.0) for each in upstreams)
    else:
        assert forwards(seen) == len(upstreams) == 1
        [upstream] = upstreams
        assert upstream.dtype == tf.float32 and upstream.shape == []
        assert not any(eagerly) and raised(lambda: upstream.numpy()) is not None


@says(
    "A persistent tape …",
    "TensorFlow builds graphs …",
    "Outside the `tf.function`, …",
    "A `grad` that …",
)
@over(
    options=[{}, {"jit_compile": True}, {"autograph": False}], persistent=[False, True]
)
def test_around(options, persistent):
    seen = []
    function = tf.function(squaring(seen), **options)
    x = tf.constant(3.0)
    function(x)
    assert seen == ["forward"]  # no tape
    with tf.GradientTape(watch_accessed_variables=False):
        function(x)
    assert seen == ["forward"]  # a tape that watches no input
    tape, y = taped(function, x, persistent)
    calls = 3 if persistent else 1
    assert len(of_rule(seen)) == calls
    assert same(tape.gradient(y, x), 6.0) and len(of_rule(seen)) == calls
    fails = tf.function(squaring([], lambda upstream: upstream.numpy()), **options)
    assert same(fails(x), 9.0)
    assert "numpy" in message(taped, fails, x, persistent)


@says(
    "A persistent tape …",
)
@over(mode=[EAGER, AROUND])
def test_persistent_twice(mode):
    function = tf.function(squaring()) if mode is AROUND else squaring()
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        first = tape.gradient(function(x), x)
    assert same(tape.gradient(first, x), 2.0)


def printed(mode, steps):
    """What tf.print wrote in a rule, and how often Python was there."""
    seen = []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "said")
        path.touch()
        square = squaring(
            seen, lambda upstream: tf.print(upstream, output_stream=f"file://{path}")
        )

        def loss(x):
            return square(x) ** 2

        for step in range(steps):
            assert same(mode.gradient(loss, 3.0 + step), 4.0 * (3.0 + step) ** 3)
        said = path.read_text().split()
    return [float(each) for each in said], of_rule(seen)


@says(
    "`tf.print` is an …",
    "Use `tf.print`, not …",
    "If you compute …",
    "`print` runs when …",
    "The next program has …",
    "In a graph, `print` …",
    "If the gradient is computed outside, …",
    "print runs when …",
)
@over(mode=UNCOMPILED)
def test_prints(mode):
    said, calls = printed(mode, 2)
    assert said == ([] if mode is AROUND else [18.0, 32.0])
    if mode in EAGERS:
        assert len(calls) == 2 and not any(map(symbolic, calls))
    else:
        assert len(calls) == 1 and all(map(symbolic, calls))


def symbolic(tensor):
    return type(tensor).__name__ == "SymbolicTensor"


@says(
    "If the gradient is computed inside …",
    "XLA can't compile …",
)
def test_print_inside():
    lines = [each.text.strip() for each in trace("prints.py")]
    first, last = lines.index("tape inside"), lines.index("tape around")
    said = [each for each in lines[first:last] if each.startswith("tf.print")]
    assert [each.split()[-1] for each in said] == ["6", "8"]
    square = squaring([], lambda upstream: tf.print(upstream))
    assert "PrintV2" in message(XLA.gradient, square, 3.0)


@says(
    "In a nested …",
)
@over(mode=[each for each in BLOCKS if "strategy" not in each.name])
def test_prints_in_blocks(mode):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "said")
        path.touch()

        @tf.custom_gradient
        def probe(x):
            def grad(upstream):
                tf.print(upstream, output_stream=f"file://{path}")
                return 1.0 * upstream

            return tf.identity(x), grad

        assert same(mode.gradient(lambda x: probe(x) ** 2, 3.0), 6.0)
        assert path.read_text().split() == ["6"]


@says(
    "Control dependencies make …",
)
@over(waits=[True, False])
def test_waits(waits):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "said")
        path.touch()

        @tf.custom_gradient
        def probe(x):
            def grad(upstream):
                said = tf.print(upstream, output_stream=f"file://{path}")
                with tf.control_dependencies([said] if waits else []):
                    return tf.identity(upstream)

            return tf.identity(x), grad

        assert same(AROUND.gradient(probe, 3.0), 1.0)
        assert len(path.read_text().split()) == waits


@says(
    "With `tf.config.run_functions_eagerly(True)`, …",
    "This also holds …",
)
@over(mode=[*UNCOMPILED, XLA])
def test_run_eagerly(mode):
    if mode is SYMBOLIC:
        return  # tf.gradients is not supported when eager execution is enabled
    seen = []
    square = squaring(seen)
    tf.config.run_functions_eagerly(True)
    try:
        for _ in range(2):
            mode.gradient(square, 3.0)
    finally:
        tf.config.run_functions_eagerly(False)
    assert len(of_rule(seen)) == 2 and not any(map(symbolic, of_rule(seen)))


@says(
    "In Keras, use …",
)
@over(eagerly=[True, False])
def test_run_eagerly_in_keras(eagerly):
    seen = []
    square = squaring(seen)
    layers = [tf.keras.layers.Dense(1), tf.keras.layers.Lambda(square)]
    model = tf.keras.Sequential([tf.keras.Input([1]), *layers])
    seen.clear()
    model.compile("sgd", "mse", run_eagerly=eagerly)
    model.fit(np.ones([2, 1]), np.ones([2, 1]), batch_size=1, verbose=0)
    assert [symbolic(each) for each in of_rule(seen)] == (
        [False, False] if eagerly else [True]
    )


@says(
    "The graphs were …",
    "A Python variable …",
    "A test in …",
    "A Python value …",
    "If the Python …",
    "The next program raises …",
    "Only the eager …",
    "Deliberately wrong: a Python …",
)
@over(mode=MODES, second=numbers(-9, 9))
def test_strength(mode, second):
    strength = [0.0]
    reverse = tf.custom_gradient(lambda x: (x * 1.0, lambda up: -strength[0] * up))
    assert same(mode.gradient(reverse, 3.0), 0.0)
    strength[0] = second
    found = mode.gradient(reverse, 3.0)
    assert same(found, -np.float32(second) if mode in EAGERS else 0.0)
    strengths = [each.numbers[0] for each in trace("wrong/schedule.py")]
    assert strengths[0] == 0 and strengths[-1] == 1
    assert trace("wrong/schedule.py")[-1].numbers == [1.0, -1.0, 0.0, 0.0]


@says(
    "Make the strength …",
    "The strength is …",
    "Use a `tf.Variable` …",
    "Set `trainable=False`, because …",
    "All columns follow …",
)
@over(mode=MODES)
def test_schedule(mode):
    defined, before = program("schedule.py"), len(rules())
    reverse, strength = defined.reverse, defined.strength
    for value in (0.0, 0.5, 1.0):
        strength.assign(value)
        assert same(mode.gradient(reverse, 3.0), -value)
    assert len(rules()) == before + (mode not in EAGERS)
    owes = tf.Variable(1.0)
    other = tf.custom_gradient(lambda x: (x * owes, lambda up: up * owes))
    assert "variables" in message(mode.gradient, other, 3.0)


# Retracing.

PAIRS = {
    "tensors": ([1.0, 2.0, 3.0], tf.constant, {}, 1),
    "numbers": ([1.0, 2.0, 3.0], float, {}, 3),
    "lengths": ([2, 3, 4], lambda n: tf.ones([n]), {}, 3),
    "relaxed": ([2, 3, 4], lambda n: tf.ones([n]), {"reduce_retracing": True}, 2),
    "open": (
        [2, 3, 4],
        lambda n: tf.ones([n]),
        {"input_signature": [tf.TensorSpec([None])]},
        1,
    ),
}


@says(
    "A `tf.function` is …",
    "A Python number …",
    "Each trace calls …",
    "The next program calls …",
    "A shape is …",
    "With `reduce_retracing`, the …",
    "With an `input_signature`, …",
    "Each new trace registers a gradient …",
)
@over(what=PAIRS, compiled=[False, True])
def test_retracing(what, compiled):
    values, make, options, traces = what
    seen, shapes = [], []

    @tf.custom_gradient
    def square(x):
        seen.append(None)
        shapes.append(x.shape.as_list())
        return x * x, lambda upstream: upstream * 2.0 * x

    before = len(rules())
    run = tf.function(square, jit_compile=compiled, **options)
    for each in [*values, *values]:
        run(make(each))
    assert run.experimental_get_tracing_count() == len(seen) == traces
    assert len(rules()) == before + traces
    if "reduce_retracing" in options:
        assert shapes == [[2], [None]]
    if "input_signature" in options:
        assert shapes == [[None]]


@says(
    "Each new trace registers another …",
    "Each new trace registers a gradient …",
    "If you create …",
    "The registry is …",
)
@over(times=[3])
def test_never_emptied(times):
    square, before = squaring(), len(rules())

    def graphs():
        gc.collect()
        return sum(isinstance(each, func_graph.FuncGraph) for each in gc.get_objects())

    alive = graphs()
    for _ in range(times):
        tf.function(square)(tf.constant(3.0))
    assert len(rules()) == before + times and graphs() >= alive + times
    assert trace("retracing.py")[-1].numbers == [3, 3]


@says(
    "But in the `grad` …",
    "So prefer one …",
)
@over(mode=[EAGER, INSIDE, AROUND], length=[1, 4])
def test_open_dimension(mode, length):
    found = []

    @tf.custom_gradient
    def mean(x):
        def grad(upstream):
            found.append(x.shape[0])
            count = tf.cast(tf.shape(x)[0], x.dtype)
            return tf.broadcast_to(upstream / count, tf.shape(x))

        return tf.reduce_mean(x), grad

    run = tf.function(mean, input_signature=[tf.TensorSpec([None])])
    slope = mode.gradient(run if mode is not EAGER else mean, tf.ones([length]))
    assert same(slope, np.full(length, 1 / length, np.float32))
    assert {*found} == ({length} if mode is EAGER else {None})


# Branches and loops.


@says(
    "How often Python …",
    "In a graph, TensorFlow …",
    "In eager mode, they …",
    "The next program counts the Python …",
    "All gradients are …",
    "A Python loop …",
    "A TensorFlow loop …",
    "Both branches of …",
    "In the program, …",
)
@over(
    mode=[EAGER, INSIDE, AROUND, XLA],
    kind=["python_loop", "while_loop", "map_fn", "scan", "cond"],
)
def test_rounds(mode, kind):
    defined = program("rounds.py")
    defined.called.clear()
    function = getattr(defined, kind)
    if kind == "while_loop" and mode is XLA:
        return  # it needs maximum_iterations
    found = mode.gradient(function, 8.0)
    assert same(found, {"map_fn": 1.5, "cond": 0.5}.get(kind, 0.125))
    eager, graph = {"python_loop": (3, 3), "cond": (1, 3)}.get(kind, (3, 1))
    expected = eager if mode is EAGER else graph
    assert defined.called.count("forward") == expected
    assert defined.called.count("grad") == expected
    [line] = [
        each
        for each in trace("rounds.py").starting(kind)
        if ("eager" in each.text) == (mode is EAGER)
    ]
    assert line.numbers[-2:] == [expected, expected]


@tf.custom_gradient
def copied(x, v):
    x, v = tf.identity(x), tf.identity(v)
    return x * x * v, lambda upstream: (upstream * 2.0 * x * v, upstream * x * x)


def controlled(mode, name, what):
    """Whether a rule in a construct is right, by the program's own functions."""
    defined = program("control.py")
    rules = {
        "read": [lambda y, v: defined.read(y)],
        "passed": [defined.passed],
        "apart, copied": [defined.apart, copied],
    }[what]
    outer, w = name.removeprefix("cond in ").replace("while", "while_loop"), defined.w
    outer = defined.constructs[name if name in defined.constructs else outer]

    def construct(f, x):
        if name in defined.constructs:
            return outer(f, x)
        return outer(lambda y: tf.cond(y > 0.0, lambda: f(y), lambda: y), x)

    def function(*xs):
        v = tf.identity(w)
        return [construct(lambda y: rule(y, v), x) for rule, x in zip(rules, xs)]

    if name not in PLAIN:
        PLAIN[name] = EAGER.gradient(lambda x: construct(lambda y: y * y * w, x), 0.5)
    at = [0.5] * len(rules)
    if raised(mode.gradients, function, *at):
        return False
    return same(mode.gradients(function, *at), [PLAIN[name]] * len(rules), 1e-5)


PLAIN: dict = {}
"""The gradient in each construct, without a rule."""


@says(
    "`read` fails in …",
    "`passed` is right …",
    "`apart` is right …",
    "Pass the variable's …",
    "The gradient of …",
    "If the function uses …",
    "Both are separate …",
    "TensorFlow can pass …",
    "The next program tries …",
    "`read` reads the …",
    "`passed` receives the …",
    "`apart` is `passed` …",
    "In eager mode, all …",
    "In a branch, …",
    "If the branch …",
    "If you call the function …",
    "The copies belong …",
    "Instead of copying, you …",
    "A custom gradient with …",
)
@over(
    mode=[EAGER, INSIDE, AROUND, NESTED, SYMBOLIC],
    name=[
        *("cond", "while_loop", "scan", "map_fn"),
        *("cond in while", "cond in map_fn", "cond in cond"),
    ],
    what=["read", "passed", "apart, copied"],
)
def test_control(mode, name, what):
    if name in ("scan", "map_fn") and mode is not NESTED:
        return  # the trace has them
    fails = mode is not EAGER and (
        what == "read"
        or (what == "passed" and name == "cond" and mode in (AROUND, NESTED))
        or (what == "passed" and name.startswith("cond in"))
    )
    assert controlled(mode, name, what) != fails


@says(
    "For XLA, pass …",
    "Even then, the …",
)
@over(said=[True, False])
def test_loops_of_xla(said):
    options = {"maximum_iterations": 3} if said else {}

    def loop(x):
        return tf.while_loop(
            lambda i, y: i < 3, lambda i, y: (i + 1, y * y), (0, x), **options
        )[1]

    error = message(XLA.gradient, loop, 2.0)
    assert ("fixed tensor list size" in error) != said
    x = tf.constant(2.0)
    assert raised(taped, tf.function(loop, jit_compile=True), x) is not None


# What to test.


@says(
    "A custom gradient that …",
    "Test each custom gradient in the …",
    "If you call the decorated …",
    "Test each custom gradient in seven places.",
    "The program tests two …",
    "The first column …",
    "Only the test …",
    "Choose a loss …",
    "One custom gradient in the …",
)
@over(x=[[1.0, 2.0], [0.5]])
def test_places(x):
    defined = program("ci.py")
    assert len(defined.places) == 7
    for name, place in defined.places.items():
        right = place(lambda x: x**3)(tf.constant(x))
        assert same(place(defined.copied)(tf.constant(x)), right, 1e-5)
        said = message(place(defined.cube), tf.constant(x))
        assert ("AssertionError" in said) == (name == "branch, around")
        assert said or same(place(defined.cube)(tf.constant(x)), right, 1e-5)
    seen = []
    for loss in tf.reduce_sum, lambda y: tf.reduce_sum(y**2):
        for factor in 1.0, 2.0:
            keeps = tf.custom_gradient(
                lambda x: (x + 0.0, lambda u: (seen.append(u), u)[1])
            )
            EAGER.gradient(keeps, factor * np.float32(x), loss)
    assert same(seen[0], seen[1]) and not same(seen[2], seen[3])


# Rewrites.


@contextlib.contextmanager
def rewrites(on):
    options = tf.config.optimizer.set_experimental_options
    options({"disable_meta_optimizer": not on})
    try:
        yield
    finally:
        options({"disable_meta_optimizer": False})


@says(
    "Before a graph …",
    "XLA also rewrites graphs.",
    "Some rewrites treat …",
    "In a `tf.function` …",
    "Some rewrites treat …",
    "The next program rounds …",
    "In eager mode, `by_adding` …",
    "With rewrites turned …",
    "Use `tf.round` instead, …",
    "Deliberately wrong: grad …",
)
@over(mode=[EAGER, INSIDE, XLA], on=[True, False], x=[2.3, -1.8, 1000.4])
def test_rewrites(mode, on, x):
    defined = program("wrong/rewrites.py")
    x = np.float32(x)
    rounded = np.round(x)
    spacing = np.spacing(np.float32(defined.BIG))
    assert spacing == 1
    with rewrites(on):
        for rule in (defined.by_adding, defined.by_round):
            found = mode.gradient(lambda x: 0.5 * rule(x) ** 2, x)
            kept = rule is defined.by_adding and (
                mode is XLA or (mode is INSIDE and on)
            )
            assert same(found, x if kept else rounded)


@says(
    "The opposite also …",
)
@over(on=[True, False])
def test_other_way(on):
    x = tf.constant(1e-9)
    with rewrites(on):
        graph = tf.function(lambda x: tf.exp(x) - 1.0)(x)
    assert tf.exp(x) - 1.0 == 0 and same(graph, 1e-9 if on else 0.0, 1e-6)


@says(
    "Compare a custom …",
)
def test_compare():
    by_adding = program("wrong/rewrites.py").by_adding
    slopes = [
        mode.gradient(lambda x: 0.5 * by_adding(x) ** 2, 2.3)
        for mode in (EAGER, INSIDE)
    ]
    assert not same(*slopes)


# The check.


@says(
    "Its function takes …",
    "The program compares …",
    "The gradient in each …",
    "One custom gradient in each …",
)
@over(mode=MODES, x=arrays((2,), numbers(-9, 9)), y=arrays((2,), numbers(-9, 9)))
def test_check(mode, x, y):
    defined = program("check.py")
    x, y = np.float64(x), np.float64(y)
    found = mode.gradients(defined.loss, x, y)
    right = [2 * x * np.sin(y) ** 2, 2 * x**2 * np.sin(y) * np.cos(y)]
    assert np.allclose(found, right, 1e-9, 1e-9)
    lines = trace("check.py")
    assert len({each.text.partition("downstream")[2] for each in lines}) == 1


# Where it breaks.


@says("A Python `if` …")
@over(mode=MODES)
def test_python_if(mode):
    rule = squaring([], lambda upstream: 0 if upstream > 0.0 else 1)
    error = message(mode.gradient, rule, 3.0)
    assert ("Python `bool`" in error) == (mode not in EAGERS)


@says(
    "A tensor that …",
    "If you watch only this tensor, …",
)
@over(mode=MODES)
def test_closed_over(mode):
    def closed(x, k):
        return tf.custom_gradient(lambda x: (x * k, lambda up: up * k))(x)

    assert same(mode.gradients(closed, 2.0, 3.0), [3.0, None])
    alone = mode.gradient(lambda k: closed(tf.constant(2.0), k), 3.0)
    assert same(alone, 2.0 if mode in EAGERS else None)


@says(
    "A keyword argument …",
)
@over(mode=MODES)
def test_keyword(mode):
    rule = tf.custom_gradient(lambda x, k=1.0: (x * k, lambda up: up * k))
    error = message(mode.gradient, lambda x: rule(x, k=2.0), 3.0)
    assert ("keywords arguments only" in error) == (mode not in EAGERS)


@says(
    "`@tf.custom_gradient` above `@tf.function` …",
    "NumPy in `grad` …",
)
@over(mode=MODES)
def test_order_and_numpy(mode):
    def pair(x):
        return x * x, lambda upstream: upstream * 2.0 * x

    wrong = tf.custom_gradient(tf.function(pair))
    assert "To be compatible with tf.function" in message(mode.gradient, wrong, 3.0)
    if mode is not AROUND_XLA:
        assert same(mode.gradient(tf.function(tf.custom_gradient(pair)), 3.0), 6.0)

    @tf.custom_gradient
    def by_numpy(x):
        def grad(upstream):
            found = tf.numpy_function(lambda u, x: u * 2 * x, [upstream, x], x.dtype)
            return tf.ensure_shape(found, x.shape)

        return x * x, grad

    error = message(mode.gradient, by_numpy, np.float32(3.0))
    assert ("PyFunc" in error) == (mode in (XLA, AROUND_XLA))


# The exercise.


@says(
    "So Python calls `grad` six …",
    "You call a …",
    "Under a persistent …",
    "Three calls under …",
    "Two lengths cause …",
    "`tape.gradient` causes no …",
)
def test_the_exercise():
    lines = trace("solution.py")[:3]
    assert [each.numbers[0] for each in lines] == [2, 3, 2]
    assert [each.numbers[-3:] for each in lines] == [[1, 3, 0], [2, 6, 0], [2, 6, 0]]


@says(
    "The picture shows calls …",
    "Open marks are …",
    "In the third row …",
    "The last row …",
    "The first derivative …",
    "Four rows of marks, …",
    "Eager: nothing is …",
    "Inside: the function, …",
    "Around: the function …",
    "Both: the function, …",
    "Return x; note this …",
    "When a function and …",
)
@over(place=["eager", "tape inside", "tape around", "tape both"], linear=[True, False])
def test_the_lanes(place, linear):
    calls, runs = [], []

    def noted(what, x):
        calls.append(what)
        found = tf.numpy_function(lambda x: runs.append(what) or x, [x], x.dtype)
        return x + 0.0 * tf.stop_gradient(tf.ensure_shape(found, x.shape))

    @tf.custom_gradient
    def square(x):
        def grad(upstream):
            return upstream * 2.0 * noted("grad", x)

        return noted("function", x) ** 2.0, grad

    def loss(x):
        return 3.0 * square(x) if linear else square(x) ** 2.0

    def gradient(function, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        (runs if tf.executing_eagerly() else calls).append("request")
        return tape.gradient(y, x)

    inside = tf.function(lambda x: gradient(loss, x), autograph=False)
    around = tf.function(loss, autograph=False)
    step = {
        "eager": lambda x: gradient(loss, x),
        "tape inside": inside,
        "tape around": lambda x: gradient(around, x),
        "tape both": lambda x: gradient(inside, x),
    }[place]
    second = place == "tape both"
    found = step(tf.constant(3.0))  # of 3 x² or x⁴
    assert found == {(0, 0): 108, (0, 1): 18, (1, 0): 108, (1, 1): 6}[second, linear]
    traced = [] if place == "eager" else list(calls)
    assert runs.count("grad") == (2 if second and not linear else 1)
    first = runs.copy()
    calls.clear(), runs.clear()
    step(tf.constant(3.0))
    assert runs == first and (not calls or place == "eager")  # traced once
    if place == "tape around":
        assert traced == ["function", "grad"]
        assert runs == ["function", "request", "grad"]
    if not linear:
        lines = [each.text for each in trace("lanes.py") if each.text.startswith(place)]
        printed = [line.partition(":")[2].split() for line in lines]
        assert printed == [traced or ["nothing"], first, first]
        [plot] = drawn("lanes.py")[0].axes
        heights = {line.get_ydata()[0] for line in plot.lines} - {-2.35, -2.8}
        assert len(heights) == 4 and len(plot.patches) == len(heights) * 3
        assert len(lines) == 3


pointer(
    "If the forward pass …",
    "If you deploy …",
    "Look at the row …",
    "Compare the rows …",
    "Compare the number of traces …",
    "The second exercise …",
    "The catalogue of mistakes explains …",
    "The table shows the …",
    "The catalogue of mistakes has …",
    "The most frequent …",
    "If you save a …",
)
advice(
    "Pass tensors instead of Python …",
    "You need to …",
    "In a branch or …",
    "Look at the `IdentityN` …",
    "Compare step 1 …",
    "If no version …",
    "Look at the lines …",
    "Pass tensors instead.",
    "Compare the modes:",
    "Predict: count the …",
    "From each tape …",
    "How many gradient functions are registered, and how …",
    "Write: a schedule.",
    "In the program above, the …",
    "Fix this: without …",
    "no warnings on …",
    "Compare the columns:",
)
