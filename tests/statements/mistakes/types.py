"""What the page on types says in words."""

import logging

from truth.statements.tries import *

BESIDE = [EAGER, PERSISTENT]


@says(
    "A rule meets …",
    "Most of these …",
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


# Arguments.


@says(
    "A positional argument …",
    "A function cannot be.",
    "Eagerly this happens …",
    "Wrong on purpose: a function …",
    "The rule closes …",
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
    "In a graph the …",
    "Eagerly it arrives …",
    "The same conversion, …",
    "Wrong on purpose: a flag …",
    "Wrong on purpose: a number …",
    "The flag stays …",
    "The number stays …",
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


@says(
    "Two Python numbers …",
    "Upstream is float16, …",
    "Wrong on purpose: a rule …",
    "The rule makes …",
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
    found = mode.gradient(lambda x: program("half.py").leaky(x), x)
    assert found.dtype == dtype and same(found, [0.25, 1.0])


@says(
    "The type of …",
    "Where `x` itself …",
    "It goes on …",
    "Wrong on purpose: the gradient …",
    "Computed in float64, …",
)
@over(mode=MODES)
def test_double(mode):
    log = program("wrong/double.py").log
    found = mode.gradient(lambda x: log(x), 4.0)
    assert found.dtype == tf.float64 and same(found, 0.25)
    said = message(mode.gradient, lambda x: log(2.0 * x), 4.0)
    assert "double tensor" in said or "does not match type" in said
    fixed = mode.gradient(lambda x: program("double.py").log(2.0 * x), 4.0)
    assert fixed.dtype == tf.float32 and same(fixed, 0.25)


@says(
    "The output is …",
    "The input is …",
    "A rule that …",
    "Wrong on purpose: a real …",
    "Upstream is cast …",
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
    "An `if` wants …",
    "In a graph it …",
    "Try a rule on …",
    "Wrong on purpose: the rule asks with …",
    "tf.where asks for …",
)
@over(mode=[EAGER, INSIDE, AROUND, SYMBOLIC], x=[2.0, [-1.0, 1.0]])
def test_an_if(mode, x):
    leaky = program("wrong/an_if.py").leaky
    said = message(mode.gradient, lambda x: leaky(x), x)
    if mode not in BESIDE:
        assert "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed" in said
    elif np.size(x) > 1:
        assert "truth value of an array with more than one element" in said
    else:
        assert said == ""
    found = mode.gradient(lambda x: program("an_if.py").leaky(x), x)
    assert same(found, np.where(np.array(x) > 0, 1.0, 0.25))


@says(
    "`tf.function` and `model.fit` …",
    "A tensor of …",
    "Wrong on purpose: the rule asks for …",
    "The same rule with operations …",
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
    "A function of …",
    "Eagerly that works, …",
    "Wrong on purpose: the rule computes …",
    "The same rule with an …",
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
    assert outer.gradient(first, x) is None
    asked = []

    class Asked:
        def __array__(self, *_, **__):
            asked.append(self)
            return np.ones(1)

    np.exp(Asked())
    assert asked


@says(
    "A tape beside …",
    "Where a gradient …",
    "A tape around …",
    "Wrong on purpose: the rule returns …",
    "The rule returns …",
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


# Integers.


@says(
    "A gradient flows …",
    "Back from the …",
    "Wrong on purpose: a straight-through …",
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


@says(
    "`tf.constant([4, 6])` is int32.",
    "The tape warns …",
    "Wrong on purpose: the input …",
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
    "Keep it out …",
    "Let a function …",
    "Decide outside of …",
    "Call a new …",
    "Keep the number …",
    "Compute with `upstream`, …",
    "Try a rule in …",
    "Cast what you …",
    "`assert tape.gradient(y, x).dtype == x.dtype`.",
    "Cast upstream to …",
    "Choose with `tf.where`.",
    "Use operations of TensorFlow.",
    "Run the gradient …",
    "Use the operation …",
    "Return a tensor, …",
    "`assert tf.is_tensor(tape.gradient(y, x))`; …",
    "Keep whole numbers …",
    "`assert y.dtype.is_floating` for …",
    "Write the numbers …",
    "Look for the …",
)
pointer(
    "The entries begin …",
    "Notice it earlier.",
    "Asked in tensorflow#52193.",
    "More: settings.",
    "More: settings as arguments.",
    "Asked in tf-keras#197, tensorflow#45919.",
    "More: a weight …",
    "More: shapes and types.",
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
