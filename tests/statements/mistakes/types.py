"""What the page on types says in words."""

import logging
import re
from traceback import walk_tb

from truth.modes.seen import seen
from truth.statements import tries
from truth.statements.tries import *

BESIDE = [EAGER, PERSISTENT]


@says(
    "Five of the errors …",
    was="'most messages': five of the ten errors are raised in the gradient function",
)
def test_the_messages():
    named = {
        "half": "leaky",
        "complex": "energy",
        "clip_numpy": "clipped",
        "by_numpy": "exp",
        "an_if": "leaky",
        "a_count": "power",
        "a_flag": "scaled",
        "double": "log",
    }
    for name, rule in named.items():
        [said] = [e for e in trace(f"wrong/{name}.py") if "Error: " in e.text]
        assert rule not in said.text
    calls = {
        **dict.fromkeys(("half", "an_if"), ("leaky", [-1.0, 1.0])),
        "complex": ("energy", 1 + 2j),
        "clip_numpy": ("clipped", [1.0, 1.0]),
        "by_numpy": ("exp", 1.0),
        "a_count": ("cube", 2.0),
        "a_flag": ("run", 2.0),
        "a_function": ("squared", 2.0),
        "double": ("log_of_double", 2.0),
        "a_number": ("twice", 2.0),
    }
    inside, errors = [], []
    for name, (function, x) in calls.items():
        x = tf.constant(x, tf.float16 if name == "half" else None)
        call = getattr(program(f"wrong/{name}.py"), function)
        error = raised(AROUND.gradient, call, x)
        frames = [frame.f_code for frame, _ in walk_tb(error.__traceback__)]
        errors.append(error)
        inside += [each for each in frames if each.co_name == "grad"]
    assert len(inside) == 5 and len(errors) == 10
    assert all(each.co_filename.endswith(".py>") for each in inside)


@says(
    "In each entry, …",
    "Some programs print …",
    "The table uses …",
    was="without these: the table's 2 looked like an error beside the printed 6",
)
def test_the_tables():
    for name, call, printed, shown, gradient in (
        ("a_flag", "run(x)", 6.0, "2.", 2),
        ("a_count", "cube(x)", 8.0, "12.", 12),
        (
            "clip_numpy",
            "clipped(x)",
            [0.6, 0.8],
            "[0.707107, 0.707107]",
            [0.5**0.5] * 2,
        ),
    ):
        path = tries.folder / f"wrong/{name}.py"
        assert seen(path, call)["eager"] == shown
        found = np.ravel(np.array(eval(shown)))
        assert same(found, np.ravel(gradient), 1e-6)
        assert same(trace(f"wrong/{name}.py").line("eager").numbers, np.ravel(printed))
    arrived = []
    clipped = tf.custom_gradient(lambda x: (x * 1.0, lambda u: (arrived.append(u), u)))
    inside = source("wrong/clip_numpy.py")
    assert "[3.0, 4.0] * clipped(x)" in inside
    for loss in (lambda y: tf.reduce_sum([3.0, 4.0] * y), tf.reduce_sum):
        with tf.GradientTape() as tape:
            x = tf.constant([1.0, 1.0])
            tape.watch(x)
            y = loss(clipped(x))
        raised(tape.gradient, y, x)
    assert [each.numpy().tolist() for each in arrived] == [[3.0, 4.0], [1.0, 1.0]]


@says(
    "Message or symptom …",
    "Attempt to convert …",
    "Using a symbolic …",
    "The message about …",
    "'SymbolicTensor' object cannot …",
    "expected to be a half …",
    "expected to be a float tensor but is a double …",
    "expected to be a float tensor but is a complex64 …",
    "The truth value …",
    "'SymbolicTensor' object has …",
    "Cannot convert a …",
    "AssertionError with no …",
    "The gradient of an …",
    "The dtype of …",
)
def test_the_list():
    page = (tries.folder.parents[2] / "docs/mistakes/types.md").read_text("utf-8")
    table, entries = page.split("\n## ", 1)[0], page.split("\n## ", 1)[1]
    anchors = re.findall(r"^(?:## )?.*\{ #([\w-]+)", entries, re.MULTILINE)
    rows = [row.split(" | ") for row in table.splitlines() if "](#" in row]
    linked = [re.findall(r"\(#([\w-]+)\)", message)[0] for message, _ in rows]
    assert {*linked} == {*anchors} and len(anchors) == 12
    outputs = "".join(
        each.read_text("utf-8") for each in sorted(tries.folder.glob("wrong/*.out"))
    )
    modes = re.sub(r"`(?=[^`\n]*\|$)", "", entries, flags=re.MULTILINE)
    for message in (
        *("Attempt to convert a value", "with an unsupported type"),
        *(
            "Failed to convert elements",
            "Using a symbolic `tf.Tensor` as a Python `bool`",
        ),
        "'SymbolicTensor' object cannot be interpreted as an integer",
        "expected to be a half tensor but is a float tensor",
        "expected to be a float tensor but is a double tensor",
        "expected to be a float tensor but is a complex64 tensor",
        "The truth value of an array with more than one element is ambiguous",
        "'SymbolicTensor' object has no attribute 'numpy'",
        "Cannot convert a symbolic tf.Tensor to a numpy array",
        "'numpy.float32' object has no attribute 'name'",
        "The dtype of the watched tensor must be floating",
    ):
        assert len([each for each in rows if message in plain(each[0])]) == 1
        said = message.replace(" to a numpy", " (x:0) to a numpy")
        assert said in outputs or said in modes
    fixes = {"tf.where": "an_if", "tf.numpy_function": "", "tf.Tensor": ""}
    for name, program in fixes.items():
        assert name in table and (not program or name in source(f"{program}.py"))


def plain(cell):
    """A cell without its links."""
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", cell)


# Arguments.


@says(
    "TensorFlow converts each …",
    "The first error …",
    "Eagerly, it converts …",
    "In a graph, it converts …",
    "The first argument …",
    "Deliberately wrong: a function …",
    "Fix: pass the function …",
    "Inside the wrapper, …",
    "In the fix, the decorated function has …",
    "The custom gradient captures the function.",
)
@over(
    mode=[EAGER, INSIDE, AROUND, SYMBOLIC],
    given={"square": tf.square, "a lambda": lambda x: x},
)
def test_a_function(mode, given):
    ran = []

    @tf.custom_gradient
    def rule(function, x):
        ran.append(function)
        return x * 1.0, lambda upstream: (None, upstream)

    said = message(mode.gradient, lambda x: rule(given, x), 3.0)
    assert ("Attempt to convert a value" in said) == (mode in BESIDE)
    assert ("Failed to convert elements" in said) == (mode not in BESIDE)
    assert len(ran) == (mode in BESIDE)
    activated = program("a_function.py").activated
    found = mode.gradient(lambda x: activated(tf.square, lambda x: 2.0 * x, x), 3.0)
    assert same(found, 6.0)


@says(
    "The argument `doubled` …",
    "The argument `n` …",
    "The eager call …",
    "In a graph, the decorator …",
    "Eagerly, the function gets `True` itself.",
    "`range` needs a …",
    "Deliberately wrong: a flag …",
    "Deliberately wrong: the integer …",
    "The flag stays …",
    "In the fix, an …",
    "In the fix, the decorated function captures …",
    "The flag stays …",
    "The integer stays …",
)
@over(mode=[EAGER, INSIDE, AROUND, XLA, SYMBOLIC], setting=[True, 3])
def test_settings(mode, setting):
    arrived = []

    @tf.custom_gradient
    def rule(x, setting):
        arrived.append(setting)
        return x * 1.0, lambda upstream: (upstream, None)

    mode.gradient(lambda x: rule(x, setting), 3.0)
    for each in arrived:
        if mode in BESIDE:
            assert each is setting
        else:
            assert tf.is_tensor(each)
            assert raised(range, each) and raised(bool, each)
    assert arrived


# Floats.


def trail(mode, function, x):
    """The functions that an error passed."""
    error = raised(mode.gradient, function, x)
    return [frame.f_code.co_name for frame, _ in walk_tb(error.__traceback__)]


@says(
    "The input is float16, …",
    "`tf.where` of two …",
    "The upstream gradient has …",
    "The product of `upstream` and the …",
    "The product fails …",
    "Deliberately wrong: grad makes …",
    "grad computes in …",
    "The fix chooses …",
    "Fix: multiply `upstream` by …",
    was="'write the gradient as a product with upstream': so does the failing program",
)
@over(mode=[EAGER, INSIDE, AROUND, SYMBOLIC], dtype=[tf.float16, tf.float32])
def test_half(mode, dtype):
    x = tf.constant([-1.0, 1.0], dtype)
    leaky = program("wrong/half.py").leaky
    assert tf.where(x > 0, 1.0, 0.25).dtype == tf.float32
    said = message(mode.gradient, lambda x: leaky(x), x)
    assert ("tensor" in said or "does not match type" in said) == (dtype != tf.float32)
    if mode is EAGER and dtype == tf.float16:
        assert "expected to be a half tensor but is a float tensor" in said
    assert "return upstream * tf.where(x > 0, 1.0, 0.25)" in source("wrong/half.py")
    upstream, factor = tf.ones_like(x), tf.where(x > 0, 1.0, 0.25)
    refused = raised(lambda: upstream * factor) is not None
    assert refused == (dtype != tf.float32)
    assert (upstream * 0.25).dtype == (0.25 * upstream).dtype == dtype
    assert (upstream * tf.cast(factor, upstream.dtype)).dtype == dtype
    found = mode.gradient(lambda x: program("half.py").leaky(x), x)
    assert found.dtype == dtype and same(found, [0.25, 1.0])


@says(
    "This `grad` computes in …",
    "The error comes …",
    "TensorFlow doesn't compare …",
    "It passes the …",
    "In that function, …",
    "Without the operation …",
    "Deliberately wrong: the gradient …",
    "The fix casts the result:",
    "Computed in float64, …",
)
@over(mode=MODES)
def test_double(mode):
    log = program("wrong/double.py").log
    found = mode.gradient(lambda x: log(x), 4.0)
    assert found.dtype == tf.float64 and same(found, 0.25)
    said = message(mode.gradient, lambda x: log(2.0 * x), 4.0)
    assert "double tensor" in said or "does not match type" in said
    assert "Mul" in said and "_MulGrad" in trail(EAGER, lambda x: log(2.0 * x), 4.0)
    passed = mode.gradient(lambda x: log(x + 2.0), 2.0)
    assert passed.dtype == tf.float64  # an addition multiplies by nothing
    fixed = mode.gradient(lambda x: program("double.py").log(2.0 * x), 4.0)
    assert fixed.dtype == tf.float32 and same(fixed, 0.25)


@says(
    "The product of `upstream` and `z` …",
    "The upstream gradient is …",
    "The function `energy` …",
    "The input is complex, and …",
    "Deliberately wrong: grad multiplies …",
    "upstream is cast …",
    "If `grad` returns …",
    "Fix: cast `upstream` …",
    "The fix casts the upstream gradient:",
)
@over(mode=[EAGER, INSIDE, AROUND, SYMBOLIC], dtype=[tf.complex64])
def test_complex(mode, dtype):
    z = tf.constant(1.0 + 2.0j, dtype)
    energy = program("wrong/complex.py").energy
    assert not energy(z).dtype.is_complex
    said = message(mode.gradient, lambda z: energy(z), z)
    assert "tensor but is a complex" in said or "does not match type" in said
    assert same(mode.gradient(lambda z: program("complex.py").energy(z), z), 2 + 4j)
    real = tf.custom_gradient(
        lambda z: (energy(z), lambda upstream: upstream * tf.abs(z))
    )
    found = mode.gradient(lambda z: real(z), z)
    assert not found.dtype.is_complex


# Values that are not there.


@says(
    "This `grad` has …",
    "The `if` raises …",
    "A Python `if` …",
    "In a graph, even …",
    "AutoGraph leaves the …",
    "An eager call …",
    "Deliberately wrong: grad has …",
    "tf.where chooses for each element.",
    "Try each custom gradient on …",
    "Fix: replace the `if` with `tf.where`.",
    was="'the comparison raises': it returns two values, which bool() doesn't take",
)
@over(mode=[EAGER, INSIDE, AROUND, SYMBOLIC], x=[2.0, [-1.0, 1.0]])
def test_an_if(mode, x):
    assert np.size(x) == (2 if isinstance(x, list) else 1)
    leaky = program("wrong/an_if.py").leaky
    compared = tf.constant(x) > 0
    assert (raised(bool, compared) is not None) == (tf.size(compared) == 2)
    said = message(mode.gradient, lambda x: leaky(x), x)
    if mode not in BESIDE:
        assert "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed" in said
    elif np.size(x) > 1:
        assert "truth value of an array with more than one element" in said
    else:
        assert said == ""
    said = message(tf.function(lambda x: EAGER.gradient(leaky, x)), tf.constant(x))
    assert "Using a symbolic `tf.Tensor` as a Python `bool`" in said  # with AutoGraph
    found = mode.gradient(lambda x: program("an_if.py").leaky(x), x)
    assert same(found, np.where(np.array(x) > 0, 1.0, 0.25))


@says(
    "A tensor of …",
    "This `grad` computes a …",
    "The eager gradient …",
    "Deliberately wrong: grad reads …",
    "The same gradient with TensorFlow operations.",
    "Fix: use TensorFlow operations.",
    "`tf.function` and `model.fit` …",
)
@over(mode=MODES)
def test_numpy(mode):
    seen = []
    inner = tf.custom_gradient(lambda x: (x * 1.0, lambda u: (seen.append(u), u)[1]))
    mode.gradient(lambda x: inner(x), 3.0)
    assert hasattr(seen[0], "numpy") == (mode in BESIDE)
    clipped = program("wrong/clip_numpy.py").clipped
    said = message(mode.gradient, lambda x: clipped(x), [1.0, 1.0])
    assert ("no attribute 'numpy'" in said) == (mode not in BESIDE)
    fixed = program("clip_numpy.py").clipped
    found = mode.gradient(lambda x: [3.0, 4.0] * fixed(x), [1.0, 1.0])
    assert same(found, [0.6, 0.8], 1e-6)
    if mode is EAGER:
        seen.clear()
        model = tf.keras.Sequential(
            [tf.keras.layers.Dense(1), tf.keras.layers.Lambda(lambda x: inner(x))]
        )
        model.compile("sgd", "mse")
        model.fit(np.ones((1, 1)), np.ones((1, 1)), verbose=0)
        assert seen and not any(hasattr(each, "numpy") for each in seen)


@says(
    "This `grad` calls `np.exp`:",
    "A NumPy function …",
    "Eagerly, the first …",
    "So the second …",
    "In a graph, the tensor …",
    "Deliberately wrong: grad computes …",
    "The same gradient with a …",
    was="'the second is None': for exp(x) ** 2 it is a number, half of the right one",
)
@over(mode=MODES)
def test_by_numpy(mode):
    exp = program("wrong/by_numpy.py").exp
    said = message(mode.gradient, lambda x: exp(x), 1.0)
    assert ("Cannot convert a symbolic" in said) == (mode not in BESIDE)
    with tf.GradientTape() as outer, tf.GradientTape() as tape:
        x = tf.constant(1.0)
        tape.watch(x), outer.watch(x)
        first = tape.gradient(exp(x), x)
    assert same(first, np.exp(1.0), 1e-6) and outer.gradient(first, x) is None
    with tf.GradientTape() as outer, tf.GradientTape() as tape:
        tape.watch(x), outer.watch(x)
        first = tape.gradient(exp(x) ** 2, x)
    right = 2 * np.exp(2.0) + 2 * np.exp(2.0)  # of 2 exp(x) times exp(x)
    assert same(outer.gradient(first, x), right / 2, 1e-5)
    asked = []

    class Asked:
        def __array__(self, *_, **__):
            asked.append(self)
            return np.ones(1)

    np.exp(Asked())
    assert asked


@says(
    "This `grad` returns a NumPy number:",
    "For `triple` alone, …",
    "For the sum …",
    "In eager mode, or …",
    "However, if the …",
    "With the tape around …",
    "A NumPy number …",
    "Deliberately wrong: grad returns …",
    "grad returns a …",
)
@over(mode=MODES, uses=[1, 2])
def test_a_number(mode, uses):
    triple = program("wrong/a_number.py").triple

    def run(x):
        return tf.add_n([triple(x) for _ in range(uses)])

    said = message(mode.gradient, run, 2.0)
    if mode in (AROUND, NESTED, AROUND_XLA, SYMBOLIC):
        assert "'numpy.float32' object has no attribute 'name'" in said
    elif uses == 2:
        assert said.rpartition("AssertionError:")[1:] == ("AssertionError:", "")
    elif mode in BESIDE:
        assert isinstance(mode.gradient(run, 2.0), np.float32)
    if uses == 2:
        return
    handed = []

    def inside(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = run(x)
        handed.append(tape.gradient(y, x))
        return handed[-1]

    tf.function(inside, autograph=False)(tf.constant(2.0))
    assert isinstance(handed[0], np.float32) and not hasattr(handed[0], "name")


# Integers.


@says(
    "The output of …",
    "The gradient is `None`, …",
    "A gradient doesn't …",
    "The backward pass …",
    "Deliberately wrong: a straight-through …",
    "The output stays …",
)
@over(
    mode=[EAGER, INSIDE, AROUND, XLA, SYMBOLIC],
    dtype=[tf.float16, tf.float64, tf.complex64, tf.int32, tf.bool],
)
def test_integer_output(mode, dtype):
    called = []

    @tf.custom_gradient
    def rule(x):
        def grad(upstream):
            called.append(upstream)
            return tf.cast(tf.math.real(upstream), x.dtype)

        return tf.cast(x, dtype), grad

    found = mode.gradient(lambda x: tf.cast(rule(x), tf.float32), 1.0)
    flows = dtype.is_floating or dtype.is_complex
    assert same(found, 1.0 if flows else None) and bool(called) == flows
    cast = mode.gradient(lambda x: tf.cast(tf.cast(x, dtype), tf.float32), 1.0)
    assert same(cast, 1.0 if flows else None)


@says(
    "The input of …",
    "TensorFlow logs a …",
    "The tape doesn't …",
    "Deliberately wrong: the input …",
    "`tf.constant([4, 6])` is int32.",
    "The same numbers …",
)
@over(mode=TAPES, ruled=[True, False])
def test_integer_input(mode, ruled):
    x = tf.constant([4, 6])
    assert x.dtype == tf.int32
    halved = program("wrong/integer_input.py").halved

    def plain(x):
        return tf.cast(x, tf.float32) / 2.0

    assert mode.gradient(halved if ruled else plain, x) is None
    warned = []
    handler = logging.Handler()
    handler.emit = lambda record: warned.append(record.getMessage())
    logger = logging.getLogger("tensorflow")
    level = logger.level
    logger.addHandler(handler), logger.setLevel(logging.WARNING)
    try:
        with tf.GradientTape() as tape:
            tape.watch(x)
    finally:
        logger.removeHandler(handler), logger.setLevel(level)
    assert any("must be floating" in each for each in warned) or mode is not EAGER


advice(
    "Give a decorated …",
    "Fix: evaluate the …",
    "Call each new …",
    "Fix: pass the integer …",
    "If you can't, …",
    "Try each custom gradient in …",
    "Fix: cast the …",
    "Write `assert tape.gradient(y, x).dtype == x.dtype` …",
    "Also check the …",
    "Compute the gradient …",
    "Fix: use the TensorFlow operation instead …",
    "If TensorFlow has …",
    "Fix: return a …",
    "Write `assert tf.is_tensor(tape.gradient(y, x))` …",
    "Fix: keep integers …",
    "Write `assert y.dtype.is_floating` …",
    "Fix: write the numbers …",
    "Look for the …",
)
pointer(
    "Look up the …",
    "For example, the …",
    "The fix uses `tf.where`:",
    "The fix uses `tf.maximum`:",
    "The fix uses the …",
    "The fix returns …",
    "In the fix, the output …",
    "In the fix, the input …",
    "A `grad` that …",
    "Notice it earlier.",
    "Asked in tensorflow#52193.",
    "More: how to …",
    "More: settings as arguments.",
    "Asked in tf-keras#197, tensorflow#45919.",
    "More: a weight …",
    "More: common failures …",
    "More: complex numbers.",
    "Asked in tensorflow#40143.",
    "More: a kink.",
    "Asked in tensorflow#39858.",
    "More: through NumPy, …",
    "Asked in tensorflow#36792.",
    "Asked in tensorflow#5888, tensorflow#25386.",
    "More: straight through.",
    "Asked in tensorflow#25386.",
    "More: what is recorded.",
)


@says(
    "In a graph, the gradient agrees with automatic …",
    "The gradient agrees …",
    "In a graph, the gradient agrees with finite differences.",
    "For each of the four …",
    "The gradient and its …",
    "In both modes, the gradient agrees with automatic differentiation.",
    "In both modes, the gradient agrees with the …",
    "The gradient is the …",
)
@over(
    name=[
        *("a_function", "a_flag", "a_count", "double", "complex", "an_if", "by_numpy"),
        *("clip_numpy", "a_number", "integer_input", "integer_output", "half"),
    ]
)
def test_fixes(name):
    lines = trace(f"{name}.py")
    if name == "half":
        assert len(lines) == 4
        for line in lines:
            rule, _, autodiff = line.text.partition("autodiff")
            assert rule.partition("custom")[2].strip() == autodiff.strip()
        return
    if name == "integer_output":
        lines = lines[1:]
    assert len(lines) == (3 if name in ("an_if", "clip_numpy") else 2)
    assert len({line.text.split(maxsplit=1)[-1] for line in lines[-1:]}) == 1
    assert all(same(line.numbers, lines[-1].numbers) for line in lines)
    if name == "double":
        assert all(line.text.endswith("0.25 float32") for line in lines)
