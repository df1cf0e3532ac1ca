"""What the page on the wrong number of gradients says in words."""

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
    "A function with a rule returns a value and the rule; the rule gets one upstream gradient for each output and returns one for each input.",
    "A rule owes one gradient for each tensor among its positional arguments, also for one whose gradient nobody asks for.",
    "A wrong count raises, in words that depend on the mode; a rule that returns nothing may stay silent.",
    "Eagerly, the decorator counts what the rule returned, once its gradient is asked for.",
    "In a graph the tape counts, or `tf.gradients` does, each in its own words.",
    "This is the tape inside a graph.",
    "It counts the outputs with the inputs, so the two numbers are larger than those of eager mode by one for each output.",
    "It says “too few” whenever the two numbers differ.",
    "Wrong on purpose: two inputs, one gradient.",
    "Wrong on purpose: one input, two gradients, in a graph.",
    "One input, one gradient, in a graph, against autodiff.",
    "One gradient for each of two inputs, against autodiff.",
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
    else:
        assert "Num gradients" in said and "do not match num inputs" in said
    nothing = tf.custom_gradient(lambda *given: (tf.add_n(given), lambda _: None))
    error = raised(mode.gradients, lambda *given: nothing(*given), *given)
    assert (error is None) == (inputs == 1)
    if mode is EAGER:  # the forward pass says nothing
        assert tf.is_tensor(returning(count, inputs, outputs)(*map(tf.constant, given)))
        assert ("returned too few" in trace("wrong/one_too_many.py")[0].text) and trace(
            "wrong/one_too_many.py"
        )[0].numbers == [2, 3]


@says(
    "Ask for a gradient once in each mode that you use: the forward pass says nothing of the count.",
)
@over(count=[1, 2, 4], inputs=[1, 2, 3])
def test_the_forward_pass(count, inputs):
    function = returning(count, inputs)
    given = [tf.constant(2.0)] * inputs
    assert function(*given) == tf.function(function)(*given) == 2.0 * inputs


@says(
    "`tf.nest.flatten` takes the arguments apart before they are counted.",
    "A list of three tensors is three inputs, and so is a tuple or a dictionary of three.",
    "The rule owes `len(tf.nest.flatten([x, y, z]))`.",
    "Wrong on purpose: one gradient for a list of three tensors.",
    "A list of tensors gets a list of gradients.",
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
    "Eagerly the decorator takes the positional arguments for inputs and no others.",
    "What is passed by keyword reaches the function, and the rule owes nothing for it.",
    "In a graph the call itself raises, with another message.",
    "If the rule returns a single gradient, no message comes, and the input by keyword gets `None`.",
    "In a graph the decorator refuses keywords before it calls the function.",
    "Wrong on purpose: one of two inputs is passed by keyword.",
    "Inputs reach the rule by position; a plain function takes keywords.",
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
    "Eagerly the same call passes, and where all inputs are keywords the rule is ignored.",
    "Wrong on purpose: a rule is called by keyword in a graph.",
    "The same call by position, in a graph.",
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
    "The inputs are the positional arguments of the call, not the parameters of the function.",
    "A default that is left out is no input; the same value given by position is one.",
    "So the rule owes 1 gradient in one call and 2 in the next.",
    "Wrong on purpose: a default of the rule is given by position.",
    "A setting with a default stays outside of the rule.",
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
    fixed = program("a_default.py").scaled
    assert same(mode.gradient(lambda x: fixed(x, 3.0), 5.0), 3.0)


@says(
    "The decorator unpacks what the function returns into two.",
    "Eagerly, without a rule, it unpacks the tensor itself, along its first axis: two elements pass as value and rule, and then the second one is no function.",
    "A tensor of a graph cannot be unpacked.",
    "The decorator expects two things: the outputs in one structure, and the rule.",
    "A missing rule shows at the first call, without any tape: call the function once where it is defined.",
    "It shows at the first call, as without a rule.",
    "Wrong on purpose: the function does not return its rule.",
    "Wrong on purpose: two outputs and a rule, side by side.",
    "A value and its rule are returned together.",
    "Two outputs in one tuple, and then the rule.",
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
    pair = tf.custom_gradient(lambda x: ((x, x), lambda u, v: u + v))
    assert len(pair(tf.ones([]))) == 2


@says(
    "The second value is taken for the rule, and its signature is read.",
    "A tensor has none: the value and the rule have changed places, or the rule was called where it should be returned.",
    "In a graph a rule in the place of the value is made a tensor first, and the message is another.",
    "Wrong on purpose: the rule is returned before the value, or called.",
    "The value comes first, then the rule, which is not called.",
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
    "The rule is called with one upstream gradient for each output, as separate arguments.",
    "An output that the loss does not use has one, too.",
    "`tf.custom_gradient` calls the rule with upstream gradients alone; the inputs are in the closure.",
    "The call of the function passes; ask for a gradient.",
    "Wrong on purpose: two outputs, and a rule with one upstream.",
    "One upstream for each of two outputs.",
    "The rule gets upstream alone, and closes over its input.",
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
    powers = program("wrong/one_upstream.py").powers
    square = program("wrong/op_and_upstream.py").square
    assert raised(powers, tf.constant(2.0)) is raised(square, tf.constant(2.0)) is None
    for function, words in (
        (lambda x: powers(x)[0], "takes 1 positional argument but 2 were given"),
        (square, "missing 1 required positional argument: 'upstream'"),
    ):
        assert words in message(mode.gradient, function, 2.0)


@says(
    "`tf.RegisterGradient` calls its function with the operation and the upstream gradient.",
    "Wrong on purpose: a rule with the signature of tf.RegisterGradient.",
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
    "A branch of `tf.cond`, and the body of a loop, are graphs of their own inside a graph.",
    "`outer` was computed around the branch, and the function returns it in the branch as it is.",
    "Return `tf.identity(outer)`, which is computed in the branch.",
    "Wrong on purpose: an argument from outside of a branch is returned as is.",
    "A copy of the argument is returned, made in the branch.",
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

    mode = INSIDE if graph else EAGER
    said = message(mode.gradients, run, 1.0, 1.0)
    assert ("should be from the same graph" in said) == (graph and not copied)
    if said == "":
        assert same(mode.gradients(run, 1.0, 1.0), [3.0, 2.0])


advice(
    "Return a gradient for each input, and `None` for an input that needs none.",
    "Return one gradient.",
    "Read the two numbers, not the words: expected 2 and received 3 is one too many.",
    "Return what you were given: a list for a list, a dictionary for a dictionary.",
    "Pass inputs by position.",
    "Where callers want names, put a plain function around the rule.",
    "Call it by position.",
    "Run a new function once inside `tf.function`.",
    "Keep settings out of the rule: a plain function takes them, and the rule closes over them.",
    "Give a function with a rule no defaults.",
    "End the function with `return y, grad`.",
    "Put the outputs into a tuple: `return (s, p), grad`.",
    "Return the value first, then the rule, without parentheses behind it.",
    "Give the rule a parameter for each output, in the order in which the outputs are flattened.",
    "Drop the first parameter, and use the inputs of the function around the rule.",
    "Call the function in a branch, inside `tf.function`.",
)
pointer(
    "The entries begin with the most frequent.",
    "Notice it earlier.",
    "Asked in tensorflow#26048, probability#904.",
    "More: what is counted.",
    "Asked in tensorflow#26048.",
    "Asked in tensorflow#21756.",
    "More: the order of the pieces.",
    "Asked in tensorflow#77559.",
    "More: inputs by keyword.",
    "Asked in tensorflow#77559, tensorflow#56692.",
    "More: keep settings out.",
    "More: a first rule.",
    "Asked in tensorflow#58941.",
    "More: several outputs.",
    "More: what arrives for each output.",
    "More: the ways to give a gradient.",
)
