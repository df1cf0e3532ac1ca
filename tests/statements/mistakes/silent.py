"""What the page on silent mistakes in the call of a rule says in words."""

import functools
import re

from truth.statements import tries
from truth.statements.tries import *

BESIDE = [EAGER, PERSISTENT, INSIDE, XLA]
"""The tape runs where the rule does."""
COMPARED = "Incompatible shapes between op input and calculated input gradient"
X = tf.constant([[1.0, 2.0], [3.0, 4.0]])


@says(
    "In most entries …",
    "However, in some …",
    "In others, `grad` …",
    "If no symptom …",
    "If your gradient …",
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
    # The check of the custom gradients knows their functions by this comment.
    right = [each for each in wrong if "# truth:" in each.read_text("utf-8")]
    assert len(right) > len(wrong) / 2


@says(
    "In the fix, `factor` …",
    "If you watch `factor` …",
    "TensorFlow connects the …",
    "`factor` is neither, …",
    "The gradient with …",
    "Now that `factor` …",
    "Fix: pass each …",
    "Deliberately wrong: the function …",
    "Each tensor that …",
)
@over(mode=MODES)
def test_closed_over(mode):
    scaled = program("wrong/closed_over.py").scaled
    assert same(mode.gradients(lambda x, f: scaled(x, f), 3.0, 2.0), [2.0, None])
    alone = mode.gradient(lambda f: scaled(tf.constant(3.0), f), 2.0)
    assert same(alone, 3.0 if mode in (EAGER, PERSISTENT) else None)
    fixed = program("closed_over.py").scaled
    assert same(mode.gradients(lambda x, f: fixed(x, f), 3.0, 2.0), [2.0, 3.0])
    inside = []

    def kept(x, factor):
        def forward(x):
            inside.append(x * factor)
            return inside[-1] * 1.0, lambda upstream: upstream * factor

        tf.custom_gradient(forward)(x)
        return inside[-1]

    # The tape records the product inside, but no path leads to the output.
    assert same(mode.gradients(kept, 3.0, 2.0), [2.0, 3.0])
    variable = tf.Variable(2.0)

    @tf.custom_gradient
    def reads(x, k=None):
        def grad(upstream, variables):
            return upstream * variable, [upstream * x]

        return x * variable * (1.0 if k is None else k), grad

    def of_each(x, k):
        named = {"k": k} if tf.executing_eagerly() else {}
        with tf.GradientTape() as tape:
            tape.watch([x, k])
            y = reads(x, **named)
        return [each is None for each in tape.gradient(y, [x, variable, k])]

    x, k = tf.constant(3.0), tf.constant(1.0)
    assert of_each(x, k) == [False, False, True]
    with tf.GradientTape() as tape:
        y = tf.function(lambda x: reads(x))(x)
    assert tape.gradient(y, variable) == 3.0


@says(
    "In the fix, `reverse` is …",
    "It accepts `x` …",
    "In eager mode, …",
    "If there are …",
    "In a graph, the …",
    "For the call …",
    "Fix: pass the …",
    "If callers want …",
    "Deliberately wrong: all …",
    "A plain function with …",
    "Now `grad` is …",
)
@over(mode=MODES)
def test_by_keyword(mode):
    named = program("wrong/by_keyword.py").named
    if mode in (EAGER, PERSISTENT):
        assert same(mode.gradient(named, 3.0), 1.0)
        ignored = []
        unused = tf.custom_gradient(lambda x: (3.0 * x, ignored.append))
        assert same(mode.gradient(lambda x: unused(x=x), 3.0), 3.0) and not ignored
    else:
        said = message(mode.gradient, lambda x: named(x), 3.0)
        assert "supports keywords arguments only when eager" in said
    rule = tf.custom_gradient(lambda x: (x * 1.0, lambda upstream: -upstream))
    assert same(mode.gradient(lambda x: (lambda *, x: rule(x))(x=x), 3.0), -1.0)


@says(
    "In the fix, the forward pass …",
    "Python looks up …",
    "By then, a …",
    "This happens in …",
    "In a `tf.function`, tracing …",
    "But a `tf.Variable` …",
    "The gradient has …",
    "The gradient agrees …",
    "Fix: read the …",
    "Deliberately wrong: the gradient function reads …",
    "The forward pass …",
)
@over(
    kind=["global", "attribute", "variable"],
    kept=[False, True],
    wrap={"eager": lambda f: f, "graph": tf.function},
)
def test_late(kind, kept, wrap):
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
        y = wrap(lambda x: scaled(x))(x)
    names["strength"] = Holder.strength = 7.0
    variable.assign(7.0)
    fixed = kept or (wrap is tf.function and kind != "variable")
    assert same(tape.gradient(y, x), 2.0 if fixed else 7.0)


@says(
    "Now `grad` clips …",
    "This gradient function clips …",
    "If `tf.gather` reads …",
    "`tf.clip_by_value` clips each …",
    "Fix: begin `grad` …",
    "If an element …",
    "The gradient of element …",
    "upstream is made …",
    "Deliberately wrong: upstream …",
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
    "`tf.function` removes the …",
    "The bare function …",
    "If your code …",
    "In the `tf.function`, the …",
    "With either fix, …",
    "Fix: capture the …",
    "Deliberately wrong: a decorated …",
    "The function is …",
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
    "An output that …",
    "Dividing by their …",
    "For an integer …",
    "Both elements of …",
    "The unused output …",
    "Fix: make `grad` …",
    "Deliberately wrong: each …",
    "An upstream gradient …",
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
    "The custom gradient replaces …",
    "TensorFlow doesn't differentiate …",
    "The gradient of `stopped` …",
    "The square no …",
    "Fix: put `tf.stop_gradient` …",
    "Deliberately wrong: stop_gradient …",
    "stop_gradient stands around …",
    "Compute the gradient …",
)
@over(mode=MODES)
def test_stopped(mode):
    defined, fixed = program("wrong/stopped.py"), program("stopped.py")
    assert same(mode.gradient(lambda x: defined.square(x), 3.0), 6.0)
    assert same(mode.gradient(lambda x: defined.stopped(x), 3.0), 7.0)
    assert same(mode.gradient(lambda x: fixed.stopped(x), 3.0), 1.0)
    assert mode.gradient(lambda x: tf.stop_gradient(fixed.square(x)), 3.0) is None


@says(
    "The returned tensor has …",
    "The custom gradient applies …",
    "If a tensor …",
    "The stored tensor …",
    "Now that `kept` …",
    "Fix: let the …",
    "`grad` then gets …",
    "Deliberately wrong: the loss …",
    "The function returns …",
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
    assert fixed(tf.constant(3.0))[1] == 3.0
    assert same(mode.gradient(lambda x: fixed(x)[1], 3.0), -1.0)


@says(
    "`tf.function` runs the …",
    "So `print` runs …",
    "For the same …",
    "The three calls …",
    "`tf.print` is part …",
    "Fix: replace `print` …",
    "Deliberately wrong: print …",
    "tf.print shows the …",
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
    for shown in (str(seen[0]), f"{seen[0]}"):
        assert shown.startswith('Tensor("') and "20" not in shown
    eager = tf.constant(20.0)
    assert str(eager).startswith("tf.Tensor(20.0, ") and f"{eager}" == "20.0"
    named = tf.function(lambda x: seen.append(str(tf.multiply(x, x))))
    named(eager)
    assert seen.pop().startswith('Tensor("Mul:0", ')
    gradient(tf.ones([2]))
    assert len(seen) == 2
    wrong, fixed = trace("wrong/printed.py"), trace("printed.py")
    assert len(wrong.starting("upstream Tensor")) == 1
    assert len(fixed.starting("upstream 10")) == len(fixed.starting("gradient")) == 3


@says(
    "Along one path, …",
    "But between two …",
    "Here, the branch …",
    "The wrong gradient …",
    "The gradient of the chain …",
    "The gradient of the two …",
    "Each call makes …",
    "Fix: let each …",
    "Deliberately wrong: the gradient function relies …",
    "Each gradient function …",
)
@over(
    mode=MODES,
    case={
        "chain": (lambda s, x: s(s(2 * x)), [2, 1], 64, 64),
        "sum": (lambda s, x: s(2 * x) + 3 * s(4 * x), [1, 2], 64, 104),
    },
)
def test_the_order(mode, case):
    function, order, wrong, right = case
    kept, called, made = [], [], []

    def square(x, popping):
        @tf.custom_gradient
        def rule(x):
            kept.append(x)
            me = len(kept)

            def grad(upstream):
                called.append(me)
                last = kept.pop()
                return upstream * 2.0 * (last if popping else x)

            made.append(grad)
            return x * x, grad

        return rule(x)

    found = mode.gradient(lambda x: function(lambda x: square(x, True), x), 1.0)
    assert found == wrong and called == order and len({*map(id, made)}) == 2
    kept.clear()
    found = mode.gradient(lambda x: function(lambda x: square(x, False), x), 1.0)
    assert found == right
    assert [line.numbers for line in trace("wrong/order.py")] == [[64, 64], [64, 104]]


def test_the_index():
    root = tries.folder.parents[2]
    index = (root / "docs/mistakes/silent.md").read_text("utf-8")
    table = index.partition("{ #symptoms")[2].partition("\n## ")[0]
    for name in ("silent", "silent_values", "silent_systems"):
        page = (root / f"docs/mistakes/{name}.md").read_text("utf-8")
        for anchor in re.findall(r"^## .*\{ #([\w-]+)", page, re.MULTILINE):
            link = f"(#{anchor})" if name == "silent" else f"({name}.md#{anchor})"
            assert anchor in ("symptoms", "in-short") or link in table, anchor


advice(
    "Watch both tensors in …",
    "You can still capture constants.",
    "Write `assert None not in tape.gradient(y, [x, factor])`.",
    "Set a flag …",
    "Compute a finite …",
    "Then change the …",
    "Test the sum …",
    "Apply `tf.gather` to …",
    "In the `tf.function`, assert that …",
    "If a function …",
    "Test with a …",
)
pointer(
    "More: why an …",
    "In the fix, `grad` uses …",
    "The program applies both …",
    "In the fix, `unit` …",
    "In the fix, `tf.stop_gradient` …",
    "In the fix, `reverse` returns …",
    "The fix replaces `print` …",
    "The fix makes `upstream` …",
    "The gradient … …",
    "is `None` — …",
    "is zero where …",
    "is NaN — …",
    "should be NaN …",
    "is too large …",
    "is too small, …",
    "is the same for two different …",
    "is the same for two rows, …",
    "belongs to a …",
    "has the wrong shape …",
    "changes from run …",
    "changes with a …",
    "is the gradient of the plain …",
    "differs between eager …",
    "gives a different …",
    "has the wrong phase, …",
    "is printed as …",
    "The table links …",
    "The decorated function `scale` …",
    "The gradient function is …",
    "Compare the two gradients of …",
    "`reverse` changes the …",
    "`named` calls `reverse` …",
    "The factor `strength` …",
    "`square` appends its …",
    "Compare a chain …",
    "Compare the two gradients:",
    "`gathered` selects element …",
    "`ruled` changes the …",
    "The program passes …",
    "This gradient function normalizes …",
    "The loss uses only …",
    "The program computes …",
    "`meant` shows the …",
    "`used` doesn't return …",
    "`grad` prints its …",
    "Notice it earlier.",
    "More: how to …",
    "Asked in tensorflow#65839.",
    "More: how a …",
    "Asked in d2l-en#1759, keras#18985.",
    "More: common failures …",
    "More: a decorated …",
    "Asked in tensorflow#58941.",
)
