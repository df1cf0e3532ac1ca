"""What the page that builds a tape says in words."""

import ast
import contextlib
import gc
import io
import math
from pathlib import Path

from truth.statements.tries import *

STEPS = ["remember.py", "backward.py", "custom.py", "several.py", "second.py"]
ENGINE = "build_a_tape.py"


def mine():
    return program(ENGINE)


def changed(name, old, new):
    """What a program of the page defines, with one of its lines changed."""
    text = source(name)
    assert text.count(old) == 1
    head = text.replace(old, new).partition("\nif __name__")[0]
    names = {"__name__": "changed"}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(head.partition('print("at v"')[0], name, "exec"), names)
    return names


def definitions(name):
    """The classes and functions of a program, as text without its comments."""
    kinds = ast.FunctionDef | ast.ClassDef
    tree = ast.parse(source(name)).body
    return {each.name: ast.unparse(each) for each in tree if isinstance(each, kinds)}


def square(lib, seen=None):
    """The square of the first lesson, which keeps its upstream gradients."""

    @lib.custom_gradient
    def square(x):
        def grad(upstream):
            if seen is not None:
                seen.append(float(upstream))
            return upstream * 2.0 * x

        return x * x, grad

    return square


def both(*numbers):
    """The engine and TensorFlow, each with these numbers as its own values."""
    engine = mine()
    yield engine, [engine.constant(each) for each in numbers]
    yield tf, [tf.constant(each, tf.float64) for each in numbers]


def floats(found):
    return [None if each is None else float(each) for each in found]


# The file.


@says(
    "You need only …",
    "A tape with …",
    "The whole engine is …",
    "The finished engine …",
    "The programs import …",
    "After this page …",
    "Here is the …",
    "In the engine of …",
)
def test_the_file():
    tree = ast.parse(source(ENGINE))
    imported = [n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(each) for each in imported] == ["import math"]
    assert len(source(ENGINE).splitlines()) <= 120
    assert "@operation" in source(ENGINE) and {"add", "sin", "cos"} <= {
        *definitions(ENGINE)
    }
    assert mine().operation is mine().custom_gradient
    assert "self.steps, self.watched = [], set()" in source(ENGINE)
    assert "in reversed(steps)" in source(ENGINE)
    for name in STEPS[1:]:  # whatever else is defined doesn't need TensorFlow
        before = source(name).partition("import tensorflow as tf")
        assert before[1] or name == ENGINE
        engine = [
            text
            for key, text in definitions(name).items()
            if key not in ("in_tensorflow", "eighth_power", "gradients", "derivatives")
        ]
        assert engine and not any("tf." in text for text in engine)
    first = trace(ENGINE)[0]
    assert "gradient -2.6145" in first.text and math.isclose(
        first.numbers[-1], 2 * 2 * math.cos(4)
    )


@says("This step adds …", "The second derivative of the …", "Second derivatives need …")
def test_one_engine():
    engine = definitions(ENGINE)
    for name in ("several.py", "second.py", "solution.py"):
        its = definitions(name)
        assert {key: its[key] for key in engine} == engine
    shared = ("constant", "add", "multiply")
    assert all(definitions("custom.py")[key] == engine[key] for key in shared)
    assert "tape.gradient(" in source(ENGINE)


@says(
    "The tests of …",
    "The first and …",
    "After each of …",
)
def test_random_programs():
    rng = np.random.default_rng(0)
    compared = unconnected = second_order = 0
    for _ in range(100):
        steps = [
            (
                rng.choice(["add", "sub", "mul", "sin", "cos", "square", "pair"]),
                *rng.random(2),
            )
            for _ in range(7)
        ]
        start, at = rng.uniform(-1.5, 1.5, 2), rng.random()
        found = []
        for lib, (x, k) in both(*start):
            of = square(lib)

            @lib.custom_gradient
            def pair(a, b):
                def grad(to_sum, to_product):
                    return to_sum + to_product * b, to_sum + to_product * a

                return (a + b, a * b), grad

            with lib.GradientTape(persistent=True) as outer:
                outer.watch(x)
                with lib.GradientTape() as inner:
                    inner.watch(x)
                    values = [x, k]
                    for name, i, j in steps:
                        a, b = (values[int(each * len(values))] for each in (i, j))
                        a, b = (values[-1], b) if i < 0.5 else (a, b)
                        if name in ("add", "sub", "mul"):
                            values += [{"add": a + b, "sub": a - b, "mul": a * b}[name]]
                        elif name == "pair":
                            values += pair(a, b)
                        else:
                            function = {"square": of}.get(name) or getattr(lib, name)
                            values.append(function(a))
                    target = values[-1 - int(at * 3)]
                first = inner.gradient(target, values)
            second = [
                None if first[0] is None else outer.gradient(first[0], each)
                for each in values
            ]
            found.append((floats(first), floats(second)))
        (one, other), (one_tf, other_tf) = found
        for a, b in ((one, one_tf), (other, other_tf)):
            assert [each is None for each in a] == [each is None for each in b]
            assert same(a, b, 1e-9)
        unconnected += one.count(None)
        compared += 1
        second_order += other[0] not in (None, 0.0)
    assert compared == 100 and unconnected > 100 and second_order > 40
    for name in STEPS:
        assert trace(name)[-1].text.startswith("TensorFlow ")
        assert "assert " in source(name)


# Steps 1 and 2.


@says(
    "Each step of …",
    "Each of the …",
    "In the second product, …",
    "The last two …",
    "Step 2 relies …",
    "Take $x^3 + x^2$ …",
    "So each entry …",
    "A tape is …",
    "In a product, …",
    "In a sum, …",
    "Values, and a …",
    "The same operations …",
)
def test_the_list():
    found = program("remember.py")
    entries = found.tape
    assert type(entries) is list and len(entries) == 3
    lines = trace("remember.py")
    assert len(lines[:3]) == 3 and lines[1].numbers == [4, 2, 2, 4, 8]
    before = len(entries)
    found.u * found.v
    assert len(entries) - before == 1
    entries.pop()
    assert [name for name, _, _ in entries] == ["multiply", "multiply", "add"]
    second, third = entries[1][1], entries[2][1]
    assert [local for _, local in third] == [1, 1]
    assert second[0][0] is third[1][0] is entries[0][2] is found.u
    two = 2
    assert len([e for e in entries if any(v is found.u for v, _ in e[1])]) == two
    assert found.L.number == 2.0**3 + 2.0**2
    assert "import tensorflow as tf" in source("remember.py")
    a, b, h = 3.0, 5.0, 1e-3
    assert same((a + h) * b - a * b, h * b, 1e-9) and same(
        (a + h + b) - (a + b), h, 1e-9
    )


@says("A Python number …", "After `y = 2.0 * 2.0`, …")
def test_a_number():
    y = 2.0 * 2.0
    assert y == 4.0 and not hasattr(y, "__dict__") and type(y) is float
    assert gc.get_referents(y) == []


@says(
    "The list ends …",
    "For each entry, it computes …",
    "For each entry, it multiplies the upstream gradient of …",
    "It sends each …",
    "`L = v + u` — 1 — …",
    "`v = u * x` — 1 — …",
    "`u = x * x` — 3, …",
    "The value `u` …",
    "Every entry that …",
    "The backward pass reads the list in reverse, so …",
    "In the same …",
    "At $x = 2$, …",
    "The backward pass reads the list in reverse.",
    "Gradients that arrive …",
    "In the code, …",
    "Its keys are …",
    "The backward pass, …",
    "The same computation …",
)
def test_the_backward_pass():
    found = program("backward.py")
    up = found.upstream
    assert (up[found.L], up[found.v], up[found.u], up[found.x]) == (1, 1, 3, 16)
    assert found.tape[-1][2] is found.L
    lines = trace("backward.py").starting("add", "multiply")
    sent = [line["downstream"] for line in lines]
    assert sent == [1, 1, 2, 4, 6, 6] and len(sent[3:]) == 3
    assert [line["upstream"] for line in lines] == [1, 1, 1, 1, 3, 3]
    assert all(each["upstream"] * each["local"] == each["downstream"] for each in lines)
    assert sum(sent[3:]) == 4 + 6 + 6 == 16 and sent[1] + sent[2] == 1 + 2 == 3
    to_u = [sent[1], sent[2]]
    assert len(to_u) == 2
    uses = [at for at, e in enumerate(found.tape) if any(v is found.u for v, _ in e[1])]
    made = [at for at, e in enumerate(found.tape) if e[2] is found.u]
    assert len(uses) == 2 and min(uses) > made[0]
    assert found.Value(2.0) != found.Value(2.0) and found.x in up
    assert "reversed(tape)" in source("backward.py")
    assert "def in_tensorflow" in source("backward.py")
    assert all(
        name in source("backward.py")
        for name in ("u = x * x", "v = u * x", "L = v + u")
    )


@says("The function `gradients` …", "These lines are …")
def test_ten_lines():
    tree = ast.parse(source("backward.py"))
    [found] = [n for n in tree.body if getattr(n, "name", "") == "gradients"]
    lines = ast.get_source_segment(source("backward.py"), found).splitlines()
    assert len(lines) == 10


@says(
    "Predict: forward instead …",
    "Only `L`, `v` …",
    "The entries of …",
    "The entry of …",
    "Nothing arrives at …",
    "In step 2, …",
)
def test_forward_instead_of_reverse():
    found = changed("backward.py", "reversed(tape)", "tape")
    up = found["upstream"]
    assert {*up} == {found["L"], found["v"], found["u"]}
    assert up[found["v"]] == up[found["u"]] == 1
    assert "KeyError" in message(lambda: up[found["x"]])
    assert [e[2] for e in found["tape"]] == [found["u"], found["v"], found["L"]]
    assert STEPS.index("backward.py") + 1 == 2
    assert "for name, inputs, output in reversed(tape)" in source("backward.py")
    assert "upstream[x]" in source("backward.py")


# Step 3.


@says(
    "So far, an …",
    "Now let an …",
    "You can write …",
    "In the program, …",
    "`tape.append((inputs, output, …",
    "Even `add` and …",
    "`output = Value(y)` copies …",
    "The list also …",
    "But the rest …",
    "So the backward pass calls …",
    "Three lines deserve …",
    "`parts = grad(upstream[output])` replaces …",
    "If `grad` computes …",
    "Step 5 uses …",
    "A custom gradient is …",
)
def test_the_decorator():
    found = program("custom.py")
    found.tape.clear()  # shared by the cases of one test only
    inner = []

    @found.custom_gradient
    def f(x):
        inner.append(x * x)
        return inner[0], lambda upstream: upstream * 7.0

    x = found.constant(3.0)
    y = f(x)
    assert len(found.tape) == 2  # x * x, and f
    assert found.tape[0][1] is inner[0] is not y and float(y) == float(inner[0]) == 9
    assert callable(found.tape[1][2]) and found.tape[1][0][0] is x
    assert not any(inner[0] in inputs for inputs, _, _ in found.tape)
    assert float(found.gradient(y, x)) == 7  # not 6, as the multiplication says
    appends = [line for line in source("custom.py").splitlines() if ".append(" in line]
    assert [a.strip() for a in appends if "tape" in a] == [
        "tape.append((inputs, output, grad))"
    ]
    assert "@operation\ndef add" in source("custom.py") and "output = Value(y)" in (
        source("custom.py")
    )
    assert found.operation is found.custom_gradient
    lines = [
        "tape.append((inputs, output, grad))",
        "output = Value(y)",
        "parts = grad(upstream[output])",
    ]
    assert all(each in source("custom.py") for each in lines) and len(lines) == 3
    assert STEPS.index("backward.py") + 1 == 2 and STEPS.index("second.py") + 1 == 5
    assert "upstream[output] * local" in source("backward.py")
    assert len(found.tape) > 2  # grad multiplied by 7
    of_tf = tf.custom_gradient(lambda x: (x * x, lambda upstream: upstream * 7.0))
    assert EAGER.gradient(of_tf, 3.0) == 7
    up = program("remember.py").tape[0][1][0][1]
    assert type(up) is float


@says(
    "The three `backward` …",
    "They are the …",
    "The function below …",
    "In the first …",
    "In the second run, …",
    "Compare the `backward` …",
    "A decorator for …",
)
def test_the_trace_of_the_lesson():
    lesson = (folder_of_lesson() / "chain_rule.out").read_text("utf-8").splitlines()
    mine_ = [line.text for line in trace("custom.py")]
    assert mine_[:4] == lesson[3:7] and len(mine_[:3]) == 3
    assert mine_[3] == "dy/dx = 1024.0"
    text = source("custom.py")
    assert "square(square(square(x)))" in text
    assert "eighth_power(mine, x)" in text and "eighth_power(tf, x_tf)" in text
    assert "local = 2.0 * x" in text and "downstream = upstream * local" in text
    assert text.index("eighth_power(mine") < text.index("eighth_power(tf")
    assert "assert lines_tf == lines" in text and trace("custom.py")[0]["local"] == 32


def folder_of_lesson():
    return Path(__file__).parents[3] / "snippets/lessons/chain_rule"


# Step 4.


@says("A global list …")
def test_the_list_is_never_closed():
    found = program("custom.py")
    before = len(found.tape)
    for _ in range(50):
        found.constant(2.0) * 3.0
    assert len(found.tape) == before + 50 and type(found.tape) is list
    assert "def __exit__" not in source("custom.py")


@says(
    "TensorFlow's tape is …",
    "It records only …",
    "The next version …",
    "(The helper `as_list`, …",
    "This code decides …",
    "Watching spreads.",
    "If one input …",
    "A list of …",
    "A number that …",
    "`None` means that …",
    "The tape returns …",
    "A tape that …",
    was="'what you watch': a persistent tape of TensorFlow also watches variables",
)
@over(watched=[True, False], place=["inside", "before", "after"])
def test_watch_and_block(watched, place):
    for lib, (x, k) in both(2.0, 2.0):
        tape = lib.GradientTape(persistent=True)
        early = x * x
        with tape:
            if watched:
                tape.watch(x)
            u = x * k
            y = u * u
        late = x * x
        target = {"inside": y, "before": early, "after": late}[place]
        found = floats(tape.gradient(target, [x, u, k]))
        if watched and place == "inside":
            assert found == [16, 8, None]  # k holds the same number as x
        else:
            assert found == [None, None, None]
    engine = mine()
    with engine.GradientTape() as tape:
        x, k = engine.constant(2.0), engine.constant(2.0)
        if watched:
            tape.watch(x)
        y = x * k
        k * k
    assert engine.as_list(x) == [x] and engine.as_list((x, k)) == [x, k]
    assert "def as_list" in source("several.py")
    assert len(tape.steps or []) == watched and (y in tape.watched) == watched


@says(
    "Several outputs share …",
    "The backward pass calls …",
    "For each other …",
    "If the target is `z`, …",
    "If the target is `w`, …",
    "In the line …",
    "In contrast, `k` …",
    "The next program …",
    "A third value, …",
    "The program runs …",
    was="'never called for an unused output': both outputs unused, and grad isn't called",
)
@over(used=[(1, 1), (1, 0), (0, 1), (0, 0)])
def test_several_outputs(used):
    two, seen = 2, []
    for lib, (x, y, k) in both(2.0, 3.0, 5.0):
        calls = []

        @lib.custom_gradient
        def f(x, y):
            def grad(a, b):
                calls.append(floats([a, b]))
                return a * (y + lib.cos(x)), a * x + b * 2.0 * y

            return (x * y + lib.sin(x), y * y), grad

        with lib.GradientTape() as tape:
            tape.watch([x, y])
            z, w = f(x, y)
            loss = {(1, 1): z + w + k, (1, 0): z, (0, 1): w, (0, 0): k * x}[used]
        found = floats(tape.gradient(loss, [x, y, k]))
        assert calls == ([[*map(float, used)]] if any(used) else [])
        assert found[2] is None
        if used == (0, 1):
            assert found[0] == 0.0 and calls[0][0] == 0
        if used == (1, 0):
            assert calls[0][1] == 0
        assert (float(z + w + k + 1.0) - float(z + w + k)) == 1
        seen.append(found)
        assert len((x, y)) == len((z, w)) == two
    assert same(*seen, 1e-12)
    engine = mine()
    with engine.GradientTape() as tape:
        x = engine.constant(2.0)
        tape.watch(x)
        engine.custom_gradient(lambda x: ((1.0, 2.0), lambda a, b: a))(x)
    assert len(tape.steps) == 1 and len(tape.steps[0][1]) == 2
    text = source("several.py")
    assert "constant(2.0), constant(3.0), constant(5.0)" in text
    assert "tape.watch([x, y])" in text and "z + w + k" in text
    lines = trace("several.py")
    assert [line.text[:9].strip() for line in lines[:3]] == ["z + w + k", "z", "w"]
    assert len(lines[:3]) == 3 and all("None" in line.text for line in lines[:3])


@says("It also skips …")
@over(first=[None, 0.0])
def test_grad_returns_none(first):
    for lib, (x, y) in both(2.0, 3.0):

        @lib.custom_gradient
        def f(x, y):
            return x * y, lambda up: (None if first is None else up * first, up * x)

        with lib.GradientTape() as tape:
            tape.watch([x, y])
            z = f(x, y)
        assert floats(tape.gradient(z, [x, y])) == [first, 2]


@says("A tape works once.", "The tape drops …")
@over(persistent=[True, False], inside=[True, False])
def test_persistent(persistent, inside):
    for lib, (x,) in both(3.0):
        tape = lib.GradientTape(persistent=persistent)
        with tape:
            tape.watch(x)
            y = x * x
            if inside:
                one = tape.gradient(y, x)
        one = one if inside else tape.gradient(y, x)
        assert float(one) == 6
        again = message(tape.gradient, y, x)
        assert ("RuntimeError" in again) == (not persistent)
        if lib is not tf:
            assert (tape.steps is None) == (not persistent)
        if inside and persistent:  # it recorded its own backward pass
            assert float(tape.gradient(one, x)) == 2


# Step 5.


@says(
    "A gradient function multiplies …",
    "If an outer …",
    "In this program, …",
    "The outer backward …",
    "You can compute …",
)
@over(closed=[False, True])
def test_second(closed):
    results = []
    for lib, (x,) in both(2.0):
        seen = []
        of = square(lib, seen)
        with lib.GradientTape(persistent=True) as outer:
            outer.watch(x)
            with lib.GradientTape() as inner:
                inner.watch(x)
                a = of(x)
                b = of(a)
                y = of(b)
            if not closed:
                first = inner.gradient(y, x)
        if closed:
            first = inner.gradient(y, x)
        assert float(first) == 8 * 2**7 and len(seen) == 3
        seen.clear()
        second = outer.gradient(first, [x, a, b, y])
        if closed:
            assert floats(second) == [None] * 4 and seen == []
        else:
            assert float(second[0]) == 56 * 2**6 and second[3] is None
            assert seen == [64, 768] and len(seen) == 2 and len([a, b, y]) == 3
            assert None not in second[:3]
        results.append(floats(second))
    assert results[0] == results[1]
    again = trace("second.py")[5:7]
    assert [line["upstream"] for line in again] == [64, 768]
    assert [line["x"] for line in again] == [4, 2]  # the second and the first square


@says("The gradient function of the sine …", "So you can …")
@over(name=["sin", "cos"], x=[0.0, 0.7, -2.0], order=[1, 2, 3, 4, 5, 6])
def test_as_often_as_you_like(name, x, order):
    engine = mine()
    x = engine.constant(x)
    of = getattr(engine, name)
    for _ in range(order):

        def of(x, of=of):
            with engine.GradientTape() as tape:
                tape.watch(x)
                y = of(x)
            return tape.gradient(y, x)

    assert "upstream * cos(x)" in definitions(ENGINE)["sin"]
    assert "-upstream * sin(x)" in definitions(ENGINE)["cos"]
    shift = (0 if name == "sin" else 1) + order
    assert math.isclose(of(x), math.sin(float(x) + shift * math.pi / 2), abs_tol=1e-12)


@says("The gradient of …")
@over(x=st.floats(-3, 3))
def test_the_sine_of_a_square(x):
    engine = mine()
    for at in (x, 2.0):
        value = engine.constant(at)
        with engine.GradientTape() as tape:
            tape.watch(value)
            y = engine.sin(value * value)
        found = float(tape.gradient(y, value))
        assert math.isclose(found, 2 * at * math.cos(at**2), abs_tol=1e-12)
    assert round(found, 4) == -2.6146 and at == 2


# What is missing.


@says("Control flow already works.", "A Python `if` …", "Each value here …")
@over(x=[2.0, -2.0], times=[0, 1, 3])
def test_control_flow(x, times):
    for lib, (value,) in both(x):
        with lib.GradientTape() as tape:
            tape.watch(value)
            y = value * 5.0 if float(value) > 0.0 else value * 7.0
            for _ in range(times):
                y = y * value
        if lib is not tf:
            assert len(tape.steps) == 1 + times
            assert type(value.number) is float
        slope = (5 if x > 0 else 7) * (times + 1) * x**times
        assert float(tape.gradient(y, value)) == slope


@says(
    "By default, TensorFlow's …",
    "If a function …",
    "A `tf.function` records …",
    "Later calls with …",
    was=(
        "'records the steps once': a new shape is traced again",
        "'by itself': not with watch_accessed_variables=False",
    ),
)
def test_variables_and_graphs():
    v, runs, given = tf.Variable(2.0), [], []

    @tf.custom_gradient
    def f(x):
        def grad(upstream, variables):
            given.extend(variables)
            return upstream * v, [upstream * x]

        return x * v, grad

    with tf.GradientTape() as tape:
        y = f(tf.constant(3.0))
    assert tape.gradient(y, v) == 3 and given[0] is v

    @tf.function
    def graph(x):
        runs.append(x)
        return x * x

    assert [float(graph(tf.constant(n))) for n in (1.0, 2.0, 3.0)] == [1, 4, 9]
    assert len(runs) == 1
    graph(tf.constant([1.0]))
    assert len(runs) == 2
    w, frozen = tf.Variable(2.0), tf.Variable(2.0, trainable=False)
    for by_default in (True, False):
        with tf.GradientTape(watch_accessed_variables=by_default) as tape:
            y = w * frozen
        assert floats(tape.gradient(y, [w, frozen])) == [
            2.0 if by_default else None,
            None,
        ]


@says("For the sine …", "Python's `math.sin` raises …")
def test_infinity():
    assert np.isnan(tf.sin(tf.constant(np.inf)))
    assert "ValueError" in message(math.sin, math.inf)
    assert "ValueError" in message(mine().sin, math.inf)


@says("With arrays, the …")
def test_arrays():
    x, b = tf.ones([2, 3]), tf.ones([3])
    assert EAGER.gradients(lambda x, b: x * b, x, b)[1].shape == [3]
    add = tf.custom_gradient(lambda x, b: (x + b, lambda up: (up, up)))
    assert EAGER.gradients(add, x, b)[1].shape == [2, 3]


# Try it.


@says(
    "Predict: without the …",
    "In the engine, …",
    "Suppose that a …",
    "With the copy …",
    "Without the copy, …",
    "The backward pass starts …",
    "The result is 0.",
    "TensorFlow also copies …",
)
def test_without_the_copy():
    found = []
    for names in (vars(mine()), changed(ENGINE, "Value(each)", "constant(each)")):
        with names["GradientTape"]() as tape:
            x = names["constant"](3.0)
            tape.watch(x)
            y = names["custom_gradient"](lambda x: (x, lambda upstream: -upstream))(x)
        found.append((y is x, float(tape.gradient(y, x))))
    assert found == [(False, -1), (True, 0)] and -1 + 1 == 0
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.custom_gradient(lambda x: (tf.identity(x), lambda up: -up))(x)
        z = tf.custom_gradient(lambda x: (x, lambda up: -up))(x)
    assert y is not x and z is not x and tape.gradient(z, x) == -1


@says(
    "Derive: a reciprocal.",
    "The engine can't divide.",
    "The second derivative is …",
    "If `grad` captures …",
    "But no step …",
    "With tensors, the …",
    "The engine can't divide, …",
    "Solution: a reciprocal, …",
)
def test_the_reciprocal():
    engine = mine()
    assert "TypeError" in message(lambda: 1.0 / engine.constant(2.0))
    assert "TypeError" in message(lambda: engine.constant(2.0) / 2.0)
    right, captured, of_tf = (line.text.split()[1:] for line in trace("solution.py"))
    assert right == of_tf == [str(-1 / 2**2), str(2 / 2**3)] and 2 / 2**3 == 0.25
    assert captured == ["-0.25", "None"]
    found = program("solution.py")
    for number in (0.5, -3.0, 2.0):
        first, second = found.derivatives(
            found.GradientTape, found.reciprocal, found.constant(number)
        )
        assert same([first, second], [-1 / number**2, 2 / number**3], 1e-12)
    assert source("solution.py").count("-(reciprocal(x) * reciprocal(x))") == 1


definition(
    "The factors in …",
    "entry — upstream …",
)
advice(
    "You need to …",
    "So let us …",
    "Look at the second …",
    "Look at the condition …",
    "Compare the printed …",
    "Compare the upstream …",
    "Make two predictions …",
    "Derive the gradient …",
    "Then predict the …",
    "Append this to …",
)
pointer(
    "The whole program",
    "See graphs and …",
)
