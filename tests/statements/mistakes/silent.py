"""What the page on silent mistakes in the call of a rule says in words."""

import functools

from truth.statements import tries
from truth.statements.tries import *

BESIDE = [EAGER, PERSISTENT, INSIDE, XLA]
"""The tape runs where the rule does."""
COMPARED = "Incompatible shapes between op input and calculated input gradient"
X = tf.constant([[1.0, 2.0], [3.0, 4.0]])


@says(
    "No message, and a gradient that is wrong, or None.",
    "On this page the formula of the rule is right; TensorFlow asks it in another way than its author thinks, or does not ask it.",
    "Each entry shows the wrong number beside the right one, and all but the last an assertion that would have told.",
)
def test_the_entries():
    folder = tries.folder
    wrong = sorted(folder.glob("wrong/*.py"))
    silent = [
        each.name
        for each in wrong
        if "assert " not in (folder / each.name).read_text("utf-8")
    ]
    assert all("tracebook: raises" not in each.read_text("utf-8") for each in wrong)
    assert silent == ["printed.py"]
    assert all(
        "Error" not in each.text
        for name in wrong
        for each in trace(f"wrong/{name.name}")
    )


@says(
    "The rule's operation has the arguments for inputs.",
    "`factor` is none of them, and the operations inside, which used it, are hidden behind the rule.",
    "If `factor` alone is watched, eager mode differs: the tape.",
    "Wrong on purpose: the rule closes over a tensor that wants a gradient.",
    "Each tensor that wants a gradient is an argument.",
)
@over(mode=MODES)
def test_closed_over(mode):
    scaled = program("wrong/closed_over.py").scaled
    assert same(mode.gradients(lambda x, f: scaled(x, f), 3.0, 2.0), [2.0, None])
    alone = mode.gradient(lambda f: scaled(tf.constant(3.0), f), 2.0)
    assert same(alone, 3.0 if mode in (EAGER, PERSISTENT) else None)
    fixed = program("closed_over.py").scaled
    assert same(mode.gradients(lambda x, f: fixed(x, f), 3.0, 2.0), [2.0, 3.0])


@says(
    "Eagerly inputs are the positional arguments.",
    "Without one the tape records no rule, and differentiates the operations inside.",
    "In a graph the call raises.",
    "Wrong on purpose: all arguments of the rule are passed by keyword.",
    "A plain function with keywords calls the rule by position.",
)
@over(mode=MODES)
def test_by_keyword(mode):
    named = program("wrong/by_keyword.py").named
    if mode in (EAGER, PERSISTENT):
        assert same(mode.gradient(named, 3.0), 1.0)
    else:
        said = message(mode.gradient, lambda x: named(x), 3.0)
        assert "supports keywords arguments only when eager" in said
    rule = tf.custom_gradient(lambda x: (x * 1.0, lambda upstream: -upstream))
    assert same(mode.gradient(lambda x: (lambda *, x: rule(x))(x=x), 3.0), -1.0)


@says(
    "A rule looks its names up when it runs, in the backward pass.",
    "What a variable, a global or an attribute holds then need not be what the forward pass read.",
    "Wrong on purpose: the rule reads a setting late, and it has changed.",
    "The forward pass keeps what its backward pass will need.",
)
@over(kind=["global", "attribute", "variable"], kept=[False, True])
def test_late(kind, kept):
    class Holder:
        strength = 2.0

    names, variable = {"strength": 2.0}, tf.Variable(2.0, trainable=False)
    read = {
        "global": lambda: names["strength"],
        "attribute": lambda: Holder.strength,
        "variable": variable.read_value,
    }[kind]

    @tf.custom_gradient
    def scaled(x):
        value = read()
        return value * x, lambda upstream: upstream * (value if kept else read())

    with tf.GradientTape() as tape:
        x = tf.constant(3.0)
        tape.watch(x)
        y = scaled(x)
    names["strength"] = Holder.strength = 7.0
    variable.assign(7.0)
    assert same(tape.gradient(y, x), 2.0 if kept else 7.0)


@says(
    "Behind `tf.gather` upstream is a `tf.IndexedSlices`, a list of rows that are not yet added up.",
    "`tf.clip_by_value` clips each of them, and the three rows of one index add up to 3.",
    "Begin with `tf.convert_to_tensor(upstream)`, which adds them up.",
    "Upstream is made dense first, which sums its rows.",
    "Wrong on purpose: upstream is clipped before its rows are summed.",
)
@over(mode=MODES, upstream=[1.0, -5.0])
def test_sparse(mode, upstream):
    arrived = []

    @tf.custom_gradient
    def rule(x):
        def grad(upstream):
            arrived.append(type(upstream))
            return tf.clip_by_value(upstream, -1.0, 1.0)

        return tf.identity(x), grad

    def run(clipped):
        return lambda x: upstream * tf.reduce_sum(tf.gather(clipped(x), [0, 0, 0]))

    found = tf.convert_to_tensor(mode.gradient(run(rule), [1.0, 2.0]))
    assert same(found, [3.0 * np.sign(upstream), 0.0])
    assert issubclass(arrived[-1], tf.IndexedSlices)
    fixed = program("sparse.py").clipped
    assert same(mode.gradient(run(fixed), [1.0, 2.0]), [np.sign(upstream), 0.0])


@says(
    "`tf.function` looks through the decorator of an argument and calls the bare function, which returns a pair.",
    "Code that takes the first of a pair goes on without the rule.",
    "Wrong on purpose: a function with a rule is an argument of tf.function.",
    "The function is closed over, or wrapped in functools.partial.",
)
@over(wrapped=[False, True], options=[{}, {"autograph": False}, {"jit_compile": True}])
def test_argument(wrapped, options):
    returned = []

    @tf.custom_gradient
    def ruled(x):
        return 2.0 * x, lambda upstream: -2.0 * upstream

    def total(function, x):
        returned.append(function(x))
        y = returned[-1]
        return y[0] if isinstance(y, tuple) else y

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        given = functools.partial(ruled) if wrapped else ruled
        y = tf.function(total, **options)(given, x)
    assert isinstance(returned[0], tuple) != wrapped
    assert wrapped or len(returned[0]) == 2
    assert same(tape.gradient(y, x), -2.0 if wrapped else 2.0)


@says(
    "An output that the loss does not use still has an upstream gradient: zeros, in its shape.",
    "What divides by it gets NaN.",
    "For an integer output it is `None` in some modes.",
    "Wrong on purpose: the rule normalizes upstream, of an unused output too.",
    "The rule takes zeros for what they are: an output that nobody uses.",
)
@over(mode=MODES)
def test_unused_output(mode):
    arrived = []

    @tf.custom_gradient
    def rule(x):
        def grad(used, unused, integer):
            arrived.append((unused.shape, integer))
            return used + unused

        return (x, x * 1.0, tf.cast(x, tf.int32)), grad

    assert same(mode.gradient(lambda x: rule(x)[0], [1.0, 1.0]), [1.0, 1.0])
    assert arrived[-1][0] == [2]
    assert (arrived[-1][1] is None) == (mode not in BESIDE)
    first = program("wrong/unused_output.py").first
    assert np.isnan(mode.gradient(lambda x: first(x), [1.0, 1.0])).all()
    two = program("unused_output.py").two
    found = mode.gradient(lambda x: [3.0, 4.0] * two(x)[0], [1.0, 1.0])
    assert same(found, [1.2, 1.6], 1e-6)


@says(
    "The rule stands for the whole function, `tf.stop_gradient` included.",
    "What is inside is not asked.",
    "Wrong on purpose: stop_gradient stands inside a function with a rule.",
    "stop_gradient stands around the call.",
    "Ask for the gradient of that term alone: it should be `None`.",
)
@over(mode=MODES)
def test_stopped(mode):
    defined, fixed = program("wrong/stopped.py"), program("stopped.py")
    assert same(mode.gradient(lambda x: defined.square(x), 3.0), 6.0)
    assert same(mode.gradient(lambda x: defined.stopped(x), 3.0), 7.0)
    assert same(mode.gradient(lambda x: fixed.stopped(x), 3.0), 1.0)
    assert mode.gradient(lambda x: tf.stop_gradient(fixed.square(x)), 3.0) is None


@says(
    "The rule belongs to what the function returns.",
    "A tensor that leaves it another way, in a list or an attribute, was computed by operations that the tape has recorded, and has their gradient.",
    "Wrong on purpose: the loss uses what left the function by the side.",
    "What the loss uses is returned.",
)
@over(mode=MODES, way=["list", "attribute"])
def test_by_the_side(mode, way):
    class Holder:
        kept = None

    listed = []

    @tf.custom_gradient
    def rule(x):
        Holder.kept = 3.0 * x
        listed.append(Holder.kept)
        return x * 1.0, lambda upstream: -upstream

    def used(x):
        rule(x)
        return listed[-1] if way == "list" else Holder.kept

    assert same(mode.gradient(used, 3.0), 3.0)
    fixed = program("by_the_side.py").reverse
    assert same(mode.gradient(lambda x: fixed(x)[1], 3.0), -1.0)


@says(
    "`tf.function` runs the Python code to build a graph, and then the graph.",
    "So `print` shows a symbolic tensor, once for each trace, and says nothing of the calls that follow.",
    "A counter or a list that the rule changes sees one call as well.",
    "Wrong on purpose: print in a rule, in a graph.",
    "An f-string of a tensor shows the same in a graph: look for `Tensor` in what is printed.",
    "tf.print shows the value in each call.",
)
@over(calls=[1, 3])
def test_printed(calls):
    seen = []

    @tf.custom_gradient
    def square(x):
        def grad(upstream):
            seen.append(upstream)
            return upstream * 2.0 * x

        return x**2, grad

    @tf.function
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = 10.0 * square(x)
        return tape.gradient(y, x)

    for n in range(calls):
        assert same(gradient(tf.constant(1.0 + n)), 20.0 * (1.0 + n))
    assert len(seen) == 1 and not hasattr(seen[0], "numpy")
    assert f"{seen[0]}".startswith("Tensor(") and "20" not in f"{seen[0]}"
    gradient(tf.ones([2]))
    assert len(seen) == 2
    wrong, fixed = trace("wrong/printed.py"), trace("printed.py")
    assert len(wrong.starting("upstream Tensor")) == 1
    assert len(fixed.starting("upstream 10")) == len(fixed.starting("gradient")) == 3


advice(
    "Pass each tensor that wants a gradient as an argument.",
    "Settings may stay outside.",
    "`assert None not in tape.gradient(y, [x, factor])`.",
    "Call the rule by position; a plain function around it may have keywords.",
    "Let the rule leave a mark, and assert that it is there.",
    "Keep the value in a local name of the forward pass, and use that in the rule.",
    "Change the setting between the two passes, and compare with differences taken before.",
    "Test a rule behind `tf.gather` with an index that comes twice.",
    "Close over the function, or wrap it in `functools.partial`.",
    "`assert tf.is_tensor(y)` for what the argument returned.",
    "Let the rule be right for zeros.",
    "Check a rule of several outputs with one of them used at a time.",
    "Put `tf.stop_gradient` around the call, or return `None` from the rule.",
    "Return what the loss will use.",
    "Compare with a number that autodiff cannot give, such as the sign here.",
    "Use `tf.print`, without an f-string.",
)

pointer(
    "Formulas that are wrong are on the next page.",
    "The entries begin with the most frequent.",
    "Notice it earlier.",
    "More: keep settings out.",
    "Asked in tensorflow#65839.",
    "More: inputs by keyword.",
    "Asked in tensorflow#25703.",
    "More: the rule counts on an order.",
    "Asked in d2l-en#1759, keras#18985.",
    "More: where the identity breaks.",
    "More: a function with a rule is itself an argument.",
    "Asked in tensorflow#58941.",
    "More: what arrives.",
    "More: the print that speaks of tracing.",
)
