"""What the page on the wrong number of gradients says in words."""

import contextlib

from truth.statements.tries import *

BESIDE = [EAGER, PERSISTENT]
CALLED = [AROUND, NESTED, AROUND_XLA, SYMBOLIC]
"""The gradient of the call's graph is built, with tf.gradients."""


def returning(count, inputs, outputs=1):
    """A rule of so many inputs and outputs that returns so many gradients."""

    @tf.custom_gradient
    def rule(*given):
        value = tf.add_n(given)

        def grad(*upstreams):
            return [upstreams[0]] * count

        return [value] * outputs, grad

    return lambda *given: tf.add_n(rule(*given))


@says(
    "The message depends on the mode (eager, …",
    "This page lists …",
    "The function has two inputs, …",
    "The eager call of `product` …",
    "The fix returns both gradients:",
    "Both gradients agree …",
    "The function has one …",
    "The gradient is computed …",
    "The message reads “too few”, …",
    "The fix returns a single gradient:",
    "This gradient agrees …",
    "Expected 2 but …",
    "`grad` gets one …",
    "`grad` must return one …",
    "A gradient function …",
    "Eagerly, the decorator …",
    "In a graph, the tape …",
    "A tape inside …",
    "For a custom …",
    "Here the function …",
    "The message reads “too few” whenever …",
    "Deliberately wrong: two inputs, …",
    "Deliberately wrong: one input, …",
    "One input and …",
    "One gradient for …",
)
@over(mode=MODES, inputs=[1, 2], outputs=[1, 2], count=[1, 2])
def test_count(mode, inputs, outputs, count):
    given = [2.0, 3.0][:inputs]
    said = message(mode.gradients, returning(count, inputs, outputs), *given)
    if count == inputs:
        assert said == ""
    elif mode in BESIDE:
        assert f"expected to return {inputs} gradients, but returned {count}" in said
    elif mode in (INSIDE, XLA):
        numbers = f"Expected {inputs + outputs} but received {count + outputs}"
        assert "InternalError" in said and f"too few gradients. {numbers}" in said
        if outputs == 1:
            assert f"Expected {inputs + 1} but received {count + 1}" in said
    else:
        assert "Num gradients" in said and "do not match num inputs" in said
    nothing = tf.custom_gradient(lambda *given: (tf.add_n(given), lambda _: None))
    error = raised(mode.gradients, lambda *given: nothing(*given), *given)
    assert (error is None) == (inputs == 1)
    if mode is EAGER:  # the forward pass says nothing
        product = program("wrong/one_short.py").product
        assert message(product, tf.constant(2.0), tf.constant(3.0)) == ""
        assert message(mode.gradients, product, 2.0, 3.0) != ""
        assert tf.is_tensor(returning(count, inputs, outputs)(*map(tf.constant, given)))
        assert ("returned too few" in trace("wrong/one_too_many.py")[0].text) and trace(
            "wrong/one_too_many.py"
        )[0].numbers == [2, 3]


@says(
    "If you compute no gradient, the count …",
)
@over(mode=EVERYWHERE, count=[1, 2, 3])
def test_the_forward_pass(mode, count):
    function = returning(count, 2)
    given = [tf.constant(2.0), tf.constant(3.0)]
    if mode is EAGER:
        assert function(*given) == tf.function(function)(*given) == 5.0
    said = message(mode.value, function, *given)
    if mode in OUTSIDE and count != 2:
        assert f"Num gradients {count + 1} generated" in said
    else:
        assert said == ""


@says(
    "This `grad` has …",
    "TensorFlow passes only …",
    "The fix has one …",
    "The gradient agrees with automatic differentiation.",
    "Compute a gradient in a test.",
    "Compute a gradient in each …",
    "If you compute no gradient, the error …",
)
@over(mode=EVERYWHERE)
def test_a_call_raises_where_the_tape_is_outside(mode):
    one = tf.custom_gradient(lambda x: ((x + 1.0, x * x), lambda upstream: upstream))
    of_op = tf.custom_gradient(lambda x: (x * x, lambda op, upstream: upstream))
    for function in (one, of_op):
        if mode is EAGER:
            assert not message(function, 2.0) + message(tf.function(function), 2.0)
        said = message(mode.value, function, 2.0)
        assert ("TypeError" in said and "positional argument" in said) == (
            mode in OUTSIDE
        )
        error = raised(
            mode.gradient, lambda x, f=function: tf.nest.flatten(f(x))[0], 2.0
        )
        assert error is not None


@says(
    "If you registered …",
    "For example, two …",
)
@over(mode=[EAGER, INSIDE])
def test_a_registered_gradient_counts_inputs(mode):
    with contextlib.suppress(KeyError):  # a gradient is registered once
        tf.RegisterGradient("TruncateMod")(lambda op, upstream: upstream)

    said = message(
        mode.gradients, lambda x, y: tf.raw_ops.TruncateMod(x=x, y=y), 5.0, 3.0
    )
    assert "Expected 2 but received 1" in said
    assert "Expected 3 but received 2" in message(
        INSIDE.gradients, returning(1, 2), 5.0, 3.0
    )  # one more each, the output


@says(
    "Let a plain …",
    "The function takes …",
    "TensorFlow expects three gradients, …",
    "TensorFlow flattens the …",
    "The fix returns a list:",
    "The three gradients …",
    "Let a plain …",
    "A list, a tuple …",
    "Each tensor among …",
    "Each tensor inside …",
    "Count the inputs: …",
    "Deliberately wrong: one gradient …",
    "A list of tensors …",
)
@over(
    mode=[EAGER, INSIDE, AROUND_XLA, SYMBOLIC],
    pack={
        "list": list,
        "tuple": tuple,
        "dictionary": lambda given: dict(zip("abc", given)),
    },
)
def test_a_list(mode, pack):
    def total(structure):
        each = tf.nest.flatten(structure)
        return tf.add_n(each), lambda upstream: [upstream] * count

    def run(*given):
        return tf.custom_gradient(total)(pack(given))

    for count in (1, 2, 3):
        found = raised(mode.gradients, lambda *given: run(*given), 1.0, 2.0, 3.0)
        assert (found is None) == (count == len(tf.nest.flatten([1.0, 2.0, 3.0])))


def by_position_and_keyword(count):
    calls = []

    @tf.custom_gradient
    def product(x, y):
        calls.append("forward")
        return x * y, lambda upstream: [upstream * y, upstream * x][:count]

    return calls, lambda x, y: product(x, y=y)


@says(
    "The call passes …",
    "The message expects …",
    "In the fix, a …",
    "Both gradients are …",
    "Fix: pass the inputs …",
    "The call inside …",
    "The call itself …",
    "The fix passes …",
    "The gradient agrees with finite differences.",
    "Eagerly, only positional …",
    "A keyword argument …",
    "In a graph, the call …",
    "Eagerly, a `grad` …",
    "In a graph, the decorator …",
    "Deliberately wrong: one of …",
    "A plain function accepts …",
    was="'in each mode': the notice is of eager mode",
)
@over(mode=MODES, count=[1, 2])
def test_a_keyword(mode, count):
    calls, named = by_position_and_keyword(count)
    if mode not in BESIDE:
        said = message(mode.gradients, named, 2.0, 3.0)
        assert "supports keywords arguments only when eager" in said
        assert not calls
    elif count == 1:
        assert same(mode.gradients(named, 2.0, 3.0), [3.0, None])
    else:
        said = message(mode.gradients, named, 2.0, 3.0)
        assert "expected to return 1 gradients, but returned 2" in said
    found = mode.gradients(
        lambda x, y: program("a_keyword.py").product(x=x, y=y), 2.0, 3.0
    )
    assert same(found, [3.0, 2.0])


@says(
    "Eagerly, the same …",
    "However, its only …",
    "Deliberately wrong: in a …",
    "The same call …",
)
@over(mode=MODES)
def test_keywords_in_a_graph(mode):
    rule = tf.custom_gradient(lambda x: (2.0 * x, lambda upstream: 70.0 * upstream))
    said = message(mode.gradient, lambda x: rule(x=x), 3.0)
    assert (said == "") == (mode in BESIDE)
    if mode in BESIDE:
        assert same(mode.gradient(lambda x: rule(x=x), 3.0), 2.0)
    assert same(mode.gradient(lambda x: rule(x), 3.0), 70.0)


@says(
    "Fix: keep settings …",
    "`scaled` has a …",
    "`tripled` passes a …",
    "The gradient of `scaled` …",
    "In the fix, `factor` …",
    "The gradients are …",
    "The inputs are …",
    "If you leave out …",
    "If you pass `factor` …",
    "So `grad` would …",
    "Deliberately wrong: an argument …",
    "A plain function has …",
)
@over(mode=MODES)
def test_a_default(mode):
    @tf.custom_gradient
    def scaled(x, factor=2.0):
        return factor * x, lambda upstream: [upstream * factor, None][:count]

    def default(x):
        return scaled(x)

    def given(x):
        return scaled(x, 2.0)

    for count in (1, 2):
        assert (raised(mode.gradient, lambda x: default(x), 5.0) is None) == (
            count == 1
        )
        assert (raised(mode.gradient, lambda x: given(x), 5.0) is None) == (count == 2)
    wrong = program("wrong/a_default.py")
    assert not message(mode.gradient, lambda x: wrong.scaled(x), 5.0)
    assert message(mode.gradient, wrong.tripled, 5.0)
    text = source("wrong/a_default.py")
    assert "return scaled(x, 3.0)" in text and "factor=2.0" in text
    fixed = program("a_default.py").scaled
    assert same(mode.gradient(lambda x: fixed(x, 3.0), 5.0), 3.0)


@says(
    "The program has two decorated …",
    "Neither returns `grad`.",
    "Compare the messages …",
    "The message depends on what …",
    "In eager mode, a tensor …",
    "The fix returns the value and the gradient function:",
    "The gradient agrees with automatic differentiation.",
    "A missing gradient …",
    "So call the …",
    "Call a new …",
    "The function returns two …",
    "The call raises the error.",
    "The fix puts the two …",
    "The gradients agree …",
    "The decorator unpacks …",
    "Without a gradient function, …",
    "In a graph, no …",
    "The decorator expects …",
    "Deliberately wrong: the function …",
    "Deliberately wrong: two outputs and …",
    "The function returns its …",
    "Two outputs in …",
    was="'it unpacks the tensor': in a graph no tensor is unpacked",
)
@over(graph=[False, True], length=[0, 1, 2, 3])
def test_no_rule(graph, length):
    rule = tf.custom_gradient(lambda x: 2.0 * x)
    call = tf.function(lambda x: rule(x), autograph=False) if graph else rule
    said = message(call, tf.ones([length]))
    if graph:
        assert "Iterating over a symbolic" in said
    elif length in (0, 1):
        assert "not enough values to unpack" in said
    elif length == 2:
        assert "unsupported callable" in said
    else:
        assert "too many values to unpack" in said
    scalar = message(call, tf.ones([]))
    assert ("scalar tensor" in scalar) or (graph and "Iterating over" in scalar)
    beside = tf.custom_gradient(lambda x: (x, x, lambda upstream, other: upstream))
    assert "too many values to unpack (expected 2)" in message(beside, tf.ones([]))
    shown = [each.text.partition(": ") for each in trace("wrong/no_rule.py")]
    cases = ["nothing", "a scalar", "two numbers", "three numbers"]
    assert [each[0] for each in shown] == cases
    assert len({each[2] for each in shown}) == len(cases) == 4
    text = source("wrong/no_rule.py")
    assert text.count("@tf.custom_gradient") == 2 and ", grad" not in text
    pair = tf.custom_gradient(lambda x: ((x, x), lambda u, v: u + v))
    assert len(pair(tf.ones([]))) == 2


@says(
    "Both calls raise …",
    "TensorFlow reads the …",
    "Either the two …",
    "If the two values are …",
    "The fix returns the value and then `grad`:",
    "The gradient agrees with automatic differentiation.",
    "`rule_first` returns `grad` …",
    "Here, the second value …",
    "Deliberately wrong: grad comes …",
    "The value comes …",
)
@over(name=["rule_first", "called"])
def test_unsupported_callable(name):
    defined = program("wrong/rule_first.py")
    said = message(getattr(defined, name), tf.constant(3.0))
    assert said == "TypeError: unsupported callable"
    function = tf.function(getattr(defined, name), autograph=False)
    in_graph = message(function, tf.constant(3.0))
    assert ("Failed to convert elements" in in_graph) == (name == "rule_first")
    assert name == "rule_first" or in_graph == said
    assert [each.text.split(":")[0] for each in trace("wrong/rule_first.py")] == [
        "rule_first",
        "called",
    ]


@says(
    "The function has two outputs, …",
    "TensorFlow calls `grad` with two …",
    "The fix has two parameters:",
    "The gradient agrees with automatic differentiation.",
    "Compute a gradient in a test.",
    "TensorFlow calls `grad` with one …",
    "Even an output …",
    "If the outputs are nested, …",
    "`tf.custom_gradient` calls `grad` …",
    "Deliberately wrong: two outputs, …",
    "One upstream gradient …",
)
@over(mode=MODES, outputs=[1, 3], used=[1, 3])
def test_upstreams(mode, outputs, used):
    arrived = []

    @tf.custom_gradient
    def rule(x):
        def grad(*upstreams):
            arrived.append(len(upstreams))
            return upstreams[0]

        return [x * 1.0] * outputs, grad

    mode.gradient(lambda x: tf.add_n(rule(x)[:used]), 3.0)
    assert arrived and set(arrived) == {outputs}
    nested = tf.custom_gradient(
        lambda x: ({"b": x * 1.0, "a": [x * 1.0, x * 1.0]}, lambda *us: us[0] + us[1])
    )
    found = nested(tf.constant(1.0))
    assert len(tf.nest.flatten(found)) == 3
    for loss, right in ((lambda y: y["a"][0] * 5.0, 5.0), (lambda y: y["b"], 0.0)):
        assert same(mode.gradient(lambda x, f=loss: f(nested(x)), 3.0), right)
    powers = program("wrong/one_upstream.py").powers
    square = program("wrong/op_and_upstream.py").square
    assert raised(powers, tf.constant(2.0)) is raised(square, tf.constant(2.0)) is None
    for function, words in (
        (lambda x: powers(x)[0], "takes 1 positional argument but 2 were given"),
        (square, "missing 1 required positional argument: 'upstream'"),
    ):
        assert words in message(mode.gradient, function, 2.0)


@says(
    "grad takes only …",
    "`tf.RegisterGradient` calls its …",
    "Deliberately wrong: grad has …",
)
def test_register_gradient():
    called = []

    @tf.RegisterGradient("OfCounts")
    def of_counts(op, upstream):
        called.append((op.type, len(op.inputs)))
        return upstream * 5.0

    graph = tf.Graph()
    with graph.as_default(), graph.gradient_override_map({"Square": "OfCounts"}):
        x = tf.constant(3.0)
        tf.gradients(tf.square(x), x)
    assert called == [("Square", 1)]


@says(
    "The function `both` runs …",
    "Its first output …",
    "Its second output …",
    "The call returns a value …",
    "The fix returns a copy of …",
    "The gradient agrees with automatic differentiation.",
    "In a graph, a …",
    "`outer` was computed …",
    "Fix: if the function …",
    "Return a copy …",
    "Deliberately wrong: a branch …",
    "The branch returns …",
)
@over(loop=[False, True], graph=[False, True], copied=[False, True])
def test_two_graphs(loop, graph, copied):
    both = program(("" if copied else "wrong/") + "two_graphs.py").both

    def run(x, factor):
        outer = 2.0 * factor
        if loop:
            return tf.while_loop(
                lambda n, y: n < 1,
                lambda n, y: (n + 1, sum(both(y, outer))),
                [0, x],
            )[1]
        return tf.cond(x > 0.0, lambda: sum(both(x, outer)), lambda: x)

    text = source(("" if copied else "wrong/") + "two_graphs.py")
    second = "tf.identity(outer)" if copied else "outer"
    assert f"return (3.0 * x, {second}), grad" in text
    assert text.index("outer = 2.0 * x") < text.index(
        "tf.cond(x > 0.0, lambda: sum(both"
    )
    assert same(both(tf.constant(1.0), tf.constant(2.0)), [3.0, 2.0])
    mode = INSIDE if graph else EAGER
    said = message(mode.gradients, run, 1.0, 1.0)
    assert ("should be from the same graph" in said) == (graph and not copied)
    if said == "":
        assert same(mode.gradients(run, 1.0, 1.0), [3.0, 2.0])


advice(
    "Assert that no …",
    "Fix: return a …",
    "Fix: return one …",
    "Read the two …",
    "Fix: return the gradients in …",
    "Fix: pass inputs …",
    "If callers should …",
    "Fix: pass inputs …",
    "Call a new …",
    "Don't give default …",
    "Fix: end the function with `return y, grad`.",
    "Fix: put the …",
    "Fix: end the function with `return y, grad`. …",
    "Return the value …",
    "Fix: give `grad` …",
    "Fix: drop the …",
    "Call the function in …",
)


@says(
    "TensorFlow expects one …",
    "In a graph, the messages …",
    "The fix returns the gradient …",
    "The gradient is right …",
    "Fix: return gradients …",
    "In this method, …",
    "TensorFlow binds a …",
    "Although `grad` returns …",
    "Deliberately wrong: grad of …",
    "grad of a …",
)
@over(mode=MODES, base=[object, tf.Module, tf.keras.layers.Layer])
def test_a_method(mode, base):
    def of(returned):
        class Scale(base):
            factor = 3.0

            @tf.custom_gradient
            def scaled(self, x, y):
                return x * y, lambda upstream: returned(self, upstream)

        return Scale().scaled

    right = of(lambda self, upstream: (self.factor * upstream, 4.0 * upstream))
    assert same(mode.gradients(right, 1.0, 2.0), [3.0, 4.0])
    wrong = of(lambda self, upstream: (None, 3.0 * upstream, 4.0 * upstream))
    assert message(mode.gradients, wrong, 1.0, 2.0) != ""
    wrong, fixed = program("wrong/a_method.py"), program("a_method.py")
    too_many = program("wrong/one_too_many.py").double
    for function in wrong.Scale(3.0).scaled, too_many:
        said = message(mode.gradient, function, 1.0)
        if mode in BESIDE:
            assert "expected to return 1 gradients, but returned 2" in said
        elif mode in (INSIDE, XLA):
            assert "returned too few gradients. Expected 2 but received 3" in said
        else:
            assert "Num gradients 3 generated" in said
            assert "do not match num inputs 2" in said
    assert same(mode.gradient(fixed.Scale(3.0).scaled, 1.0), 3.0)
    assert [each.numbers for each in trace("a_method.py")] == [[3.0], [3.0]]


pointer(
    "Message — Fix",
    "expected to return 2 gradients, but returned 1 instead, …",
    "returned too few gradients, although …",
    "expected to return 3 gradients, for …",
    "expected to return 1 gradients, but returned 2 instead, for an …",
    "currently supports keywords …",
    "expected to return 2 gradients, for …",
    "expected to return 1 gradients, but returned 2 instead, for a method …",
    "Cannot iterate over a scalar tensor, …",
    "too many values to unpack (expected 2) — …",
    "unsupported callable — …",
    "takes 1 positional argument but 2 were given — …",
    "missing 1 required positional argument: 'upstream' — …",
    "All custom_gradient outputs should be from the same graph — …",
    "Notice it earlier.",
    "More: which arguments count.",
    "Asked in tensorflow#26048.",
    "Asked in tensorflow#21756.",
    "More: the order …",
    "Asked in tensorflow#77559.",
    "More: how a …",
    "Asked in tensorflow#77559, tensorflow#56692.",
    "More: how to keep …",
    "More: a first …",
    "Asked in tensorflow#58941.",
    "More: several outputs.",
    "More: what arrives …",
    "More: how to choose …",
)
