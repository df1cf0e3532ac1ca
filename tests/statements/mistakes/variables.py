"""What the page on variables says in words."""

import functools
from unittest import mock

import keras
from tensorflow.python.ops import custom_gradient as of_tensorflow
from tensorflow.python.platform import tf_logging

from truth.statements.tries import *

BESIDE = [EAGER, PERSISTENT]
SOME = [EAGER, INSIDE, AROUND, SYMBOLIC]
VALUES = [2.0, [2.0, 3.0], [2.0]]


def reading(count, returned, trainable=True):
    """A function that reads so many variables, and a rule that returns what is
    given."""
    variables = [tf.Variable(2.0, trainable=trainable) for _ in range(count)]

    @tf.custom_gradient
    def rule(x):
        def grad(upstream, variables=None):
            return returned(upstream, upstream * x)

        return x * tf.add_n([v.read_value() for v in variables]), grad

    return variables, lambda x: rule(x)


@says(
    "If a custom …",
    "The first item of …",
    "This `grad` returns the …",
    "The message doesn't mention variables.",
    "TensorFlow appends the …",
    "Python can't add …",
    "Deliberately wrong: the gradients …",
    "If you can't, …",
    "Fix: return a list of gradients, …",
    "TensorFlow compares the length of the second …",
    "Compute one gradient, …",
    "If the tape is outside a …",
    "A pair, whose …",
)
@over(
    mode=SOME,
    returned={
        "a list": lambda gx, gw: (gx, [gw]),
        "a tuple": lambda gx, gw: (gx, (gw,)),
        "nothing": lambda gx, gw: gx,
        "a tensor": lambda gx, gw: (gx, gw),
        "too many": lambda gx, gw: (gx, [gw, gw]),
    },
)
def test_returned(mode, returned):
    said = message(mode.gradient, reading(1, returned)[1], 3.0)
    shape = returned(1, 2)
    if shape == (1, [2]):
        assert said == ""
    else:
        assert said and "list" not in said.partition("concatenate")[0]
    assert ('can only concatenate list (not "tuple") to list' in said) == (
        shape == (1, (2,))
    )
    assert ("Must return gradient for each" in said) == (shape == (1, [2, 2]))
    assert isinstance(raised(lambda: [1] + (2,)), TypeError)
    # With the tape outside of a tf.function the call is refused, no gradient asked for.
    product = tf.function(program("wrong/a_tuple.py").product)
    with tf.GradientTape() as tape:
        x = tf.constant(3.0)
        tape.watch(x)
        assert "can only concatenate list" in message(product, x)
    # Without a tape nothing builds the backward pass.
    assert message(product, x) == ""
    with tf.GradientTape() as tape:
        tape.watch(x)
        assert message(program("wrong/a_tuple.py").product, x) == ""


@says(
    "The function reads the …",
    "If you pass …",
    "The call itself …",
    "The decorator records which …",
    "This function reads …",
    "The decorator records only trainable variables, …",
    "Deliberately wrong: grad has …",
    "Fix: pass the variable …",
    "Call the function in …",
)
@over(graph=[False, True], trainable=[False, True], passed=[False, True])
def test_demanded(graph, trainable, passed):
    w = tf.Variable(2.0, trainable=trainable)
    rule = tf.custom_gradient(
        lambda x, *given: (
            x * (given[0] if passed else w),
            lambda upstream: [upstream] * (1 + passed),
        )
    )

    def call(x):
        return rule(x, *[w] * passed)

    said = message(tf.function(call) if graph else call, tf.constant(3.0))
    demanded = trainable and not passed
    assert ("must accept keyword argument 'variables'" in said) == demanded
    assert demanded or said == ""


@says(
    "TensorFlow compares the length of the list …",
    "The fix returns two …",
    "The message doesn't name …",
    "TensorFlow doesn't check …",
    "Deliberately wrong: two …",
    "Fix: return a list with …",
    "The function reads two …",
    "Match the gradients …",
    "One gradient for …",
)
@over(mode=SOME, count=[1, 2, 3])
def test_too_short(mode, count):
    _, rule = reading(2, lambda gx, gw: (gx, [gw] * count))
    said = message(mode.gradient, rule, 3.0)
    assert ("Must return gradient for each variable" in said) == (count != 2)
    assert count != 2 or said == ""
    variables = [tf.Variable(2.0, name=name) for name in ("slope", "offset")]
    named = tf.custom_gradient(
        lambda x: (
            variables[0] * x + variables[1],
            lambda upstream, variables: (upstream, [upstream] * count),
        )
    )
    said = message(mode.gradient, lambda x: named(x), 3.0)
    assert "slope" not in said and "offset" not in said
    defined = program("too_short.py")
    with tf.GradientTape() as tape:
        y = defined.line(tf.constant(3.0))
    assert same(tape.gradient(y, [defined.slope, defined.offset]), [3.0, 1.0])


@says(
    "In a graph, tensors …",
    "Fix: return a list of gradients for …",
    "This `grad` returns a bare …",
    "The program computes the gradient …",
    "Each call raises …",
    "TensorFlow compares the length of the second …",
    "Eagerly, a scalar …",
    "A tensor whose …",
    "With the list, …",
    "Deliberately wrong: the gradient of …",
    "A list of …",
    was="'passes the comparison': in a graph a tensor has no length",
)
@over(mode=[EAGER, PERSISTENT, INSIDE, AROUND, SYMBOLIC, XLA], value=VALUES)
def test_bare(mode, value):
    product, w = program("wrong/bare.py").with_variable(value)
    said = message(mode.gradient, lambda x: product(x), tf.ones_like(w))
    if mode in BESIDE:
        assert ("has no `len()`" in said) == (w.shape == [])
        assert ("for each variable" in said) == (w.shape == [2])
        assert ("too few gradients" in said) == (w.shape == [1])
    else:
        assert "len is not well defined for a symbolic Tensor" in said
    lines = trace("wrong/bare.py")
    shapes = ["()", "(2,)", "(1,)"]
    assert [each.text.split(":")[0] for each in lines] == [
        f"{place} {shape}" for shape in shapes for place in ("eager", "graph")
    ]
    assert len({each.text.partition(":")[2] for each in lines}) == 4
    assert all("Error: " in each.text for each in lines)
    assert [np.shape(each) for each in VALUES] == [(), (2,), (1,)]
    fixed, w = program("bare.py").with_variable(value)
    x = 5.0 * tf.ones_like(w)
    for function in (fixed, lambda x: w * x):
        with tf.GradientTape() as tape:
            y = function(x)
        assert same(tape.gradient(y, w), x)
    assert mode.gradient(lambda x: fixed(x), x) is not None


@says(
    "The variable is an …",
    "The call of …",
    "TensorFlow passes `variables` …",
    "Here, `w` is …",
    "Deliberately wrong: grad requires …",
    "A variable that …",
    "A variable that …",
)
@over(mode=SOME, passed=[True, False], trainable=[True, False])
def test_sent(mode, passed, trainable):
    w, sent = tf.Variable(2.0, trainable=trainable), []

    @tf.custom_gradient
    def rule(x, *given):
        def grad(upstream, **others):
            sent.append([*others])
            gradients = [upstream] * (1 + passed)
            return (gradients, [upstream]) if others else gradients

        return x * (given[0] if passed else w), grad

    mode.gradient(lambda x: rule(x, *[w] * passed), 3.0)
    expected = ["variables"] if trainable and not passed else []
    assert sent and all(each == expected for each in sent)
    product = program("wrong/no_variables.py").product
    said = message(mode.gradient, lambda x: product(x, w), 3.0)
    assert "missing 1 required positional argument: 'variables'" in said


@says(
    "The fix reads the variable before `tf.cond`:",
    "The function reads a variable, and is called in a branch …",
    "Eagerly, the gradient …",
    "In a graph, TensorFlow builds the …",
    "If `grad` reads …",
    "A `grad` that …",
    "Wrap `product` in …",
    "Otherwise, TensorFlow raises …",
    "Compute a gradient through each …",
    "Deliberately wrong: grad reads a variable in a branch …",
)
@over(mode=MODES)
def test_a_branch(mode):
    branched = program("wrong/a_branch.py").branched
    said = message(mode.gradient, lambda x: branched(x), 3.0)
    assert ("Tensor.graph is undefined" in said) == (mode not in BESIDE)
    fixed = program("a_branch.py").branched
    assert same(mode.gradient(lambda x: fixed(x), 3.0), 2.0)
    bare = {}
    text = source("a_branch.py").replace("tf.function(product)", "product")
    exec(text.split("\nx = tf")[0], bare)
    found = raised(mode.gradient, lambda x: bare["branched"](x), 3.0)
    outside = mode in OUTSIDE or mode is NESTED
    assert isinstance(found, AssertionError) if outside else found is None
    assert "gradients(tf.function(branched), x)" in text
    assert raised(lambda: tf.Variable(2.0).graph) is not None
    w = tf.Variable(2.0)

    @tf.custom_gradient
    def unread(x):
        return w * x, lambda upstream, variables=None: (2.0 * upstream, [upstream])

    branch = lambda x: tf.cond(x > 0.0, lambda: unread(x), lambda: x)  # noqa: E731
    assert same(mode.gradient(branch, 3.0), 2.0)


@says(
    "In a graph, TensorFlow logs …",
    "The default log …",
)
@over(mode=[EAGER, INSIDE, NESTED, SYMBOLIC], reads=[False, True])
def test_the_note(mode, reads):
    w = tf.Variable(2.0)

    @tf.custom_gradient
    def rule(x):
        def grad(upstream, variables=None):
            return (upstream, [upstream]) if variables else upstream

        return (w if reads else 2.0) * x, grad

    with mock.patch.object(tf_logging, "vlog") as noted:
        mode.gradient(lambda x: rule(x), 3.0)
    said = [
        each.args for each in noted.call_args_list if "in signature" in each.args[1]
    ]
    assert bool(said) == (mode is not EAGER and not reads)
    assert all(
        level == 1 and "no ResourceVariables were used" in text for level, text in said
    )
    assert not tf_logging.get_logger().isEnabledFor(1)


@says(
    "The function reads a variable, and is called in a `tf.while_loop`:",
    "In a graph, TensorFlow builds a …",
    "At each step, …",
    "Here, `grad` reads …",
    "Eagerly, `tf.while_loop` runs …",
    "Compute a gradient through the …",
    "Deliberately wrong: grad reads a variable in a tf.while_loop.",
    "A layer in …",
)
@over(mode=[EAGER, INSIDE, AROUND, NESTED, SYMBOLIC])
def test_a_loop(mode):
    power = program("wrong/a_loop.py").power
    said = message(mode.gradient, lambda x: power(x), 3.0)
    assert ("internal_captures" in said) == (mode not in BESIDE)
    layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
    layer.build([1, 1])
    again = tf.recompute_grad(layer)
    said = message(
        mode.gradient,
        lambda x: tf.while_loop(
            lambda i, y: i < 2, lambda i, y: (i + 1, again(y)), [0, x]
        )[1],
        tf.ones([1, 1]),
    )
    assert ("internal_captures" in said) == (mode not in BESIDE)
    fixed = program("a_loop.py")
    assert same(mode.gradient(lambda x: fixed.power(fixed.product, x), 3.0), 4.0)
    if mode is INSIDE:
        run = tf.function(
            lambda x: tf.gradients(fixed.power(fixed.product, x), x)
        ).get_concrete_function(tf.ones([]))
        types = [each.type for each in run.graph.get_operations()]
        assert types.count("StatelessWhile") + types.count("While") == 2
        assert any("TensorList" in each for each in types)


@says(
    "The argument `w` …",
    "The error names …",
    "The decorator records that …",
    "Call the function eagerly.",
    "Inside `tf.function`, the …",
    "Deliberately wrong: a Keras …",
    "A Keras weight …",
    "The value of …",
)
@over(mode=SOME)
def test_a_weight(mode):
    w = tf.keras.Variable(2.0)
    assert not isinstance(w, tf.Variable) and isinstance(w.value, tf.Variable)
    scaled = program("wrong/a_weight.py").scaled
    x = [3.0, 4.0]
    said = message(mode.gradient, lambda x: scaled(x, w), x)
    assert ("must accept keyword argument" in said) == (mode is EAGER)
    assert mode is EAGER or said == ""
    fixed = mode.gradient(lambda x: scaled(x, tf.convert_to_tensor(w)), x)
    assert same(fixed, [2.0, 2.0])


@says(
    "The function reads a variable with …",
    "The plain function …",
    "In contrast, the …",
    "So the custom gradient …",
    "Deliberately wrong: the variable …",
    "Write `assert gradient is not None` …",
    "The variable is passed.",
)
@over(graph=[False, True], around=[False, True])
def test_not_trainable(graph, around):
    for name, right in (("wrong/not_trainable.py", None), ("not_trainable.py", 3.0)):
        defined = program(name)

        def product(x):
            return defined.product(*[x, defined.w][: 1 if right is None else 2])

        inner = tf.function(product) if graph and around else product

        def run(x):
            with tf.GradientTape() as tape:
                tape.watch([x, defined.w])
                y = inner(x)
            return tape.gradient(y, [defined.w, x])

        run = tf.function(run) if graph and not around else run
        assert same(run(tf.constant(3.0)), [right, 2.0])


@says(
    "This `grad` calls `tf.gradients`:",
    "The eager call of …",
    "The table shows that …",
    "`tf.gradients` differentiates a graph.",
    "Eagerly, there is no graph.",
    "Deliberately wrong: grad calls tf.gradients.",
    "A tape in …",
)
@over(mode=MODES)
def test_by_gradients(mode):
    cube = program("wrong/by_gradients.py").cube
    said = message(mode.gradient, lambda x: cube(x), 2.0)
    assert ("tf.gradients is not supported" in said) == (mode in BESIDE)
    assert mode in BESIDE or said == ""
    fixed = program("by_gradients.py").cube
    assert same(mode.gradient(lambda x: fixed(x), 2.0), 12.0)


class Calls(keras.layers.Layer):
    """A layer that calls what it is given."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def call(self, x):
        return self.function(x)


def fitted(function, **options):
    """What one step of fit says, and the kernel that it leaves."""
    dense = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")

    def fit():
        model = keras.Sequential([keras.Input([1]), dense, Calls(function)])
        model.compile(keras.optimizers.SGD(0.1), "mse", **options)
        model.fit(np.float32([[1], [2]]), np.zeros([2, 1]), verbose=0)

    said = message(fit)
    return said, dense.kernel.numpy().item() if not said else None


@says(
    "Fix: create the …",
    "If the function only …",
    "This program creates …",
    "The eager call returns …",
    "Eagerly, each call …",
    "If the first tracing …",
    "The second tracing …",
    "`model.fit` raises the …",
    "Now all calls …",
    "Check that `tape.watched_variables()` …",
    "Deliberately wrong: the function makes …",
    "The variable is made …",
    was="'only in its first call': the first call traces twice",
)
@over(calls=[2, 3], eagerly=[False, True])
def test_created(calls, eagerly):
    defined = program("wrong/created.py")
    made = []
    for _ in range(calls):
        with tf.GradientTape() as tape:
            defined.product(tf.constant(3.0))
        made += tape.watched_variables()
    assert len({each.ref() for each in made}) == calls
    singleton = "only supports singleton tf.Variables created on the first call"
    assert singleton in message(tf.function(defined.gradients), tf.constant(3.0))
    said, _ = fitted(defined.product, run_eagerly=eagerly)
    assert (singleton in said) == (not eagerly)
    traces = []

    @tf.function(autograph=False)
    def creates(x):
        traces.append(x)
        return x * tf.Variable(2.0)

    assert singleton in message(creates, tf.constant(3.0)) and len(traces) == 2
    fixed, w = program("created.py"), []
    for _ in range(calls):
        with tf.GradientTape() as tape:
            y = fixed.product(tf.constant(3.0), fixed.w)
        w += tape.watched_variables()
        assert same(tape.gradient(y, fixed.w), 3.0)
    assert len({each.ref() for each in w}) == 1
    said, kernel = fitted(lambda x: fixed.product(x, fixed.w), run_eagerly=eagerly)
    assert said == "" and kernel != 1.0


@says(
    "If the function assigns …",
    "Fix: capture the …",
    "Let `grad` capture …",
    "This program keeps …",
    "The eager call works, …",
    "In a graph, `tf.custom_gradient` …",
    "So the function …",
    "The fix captures …",
    "The gradient is the …",
    "If the variable were …",
    "`grad` captures the …",
    "If `grad` read the …",
    "If you collect …",
    "Deliberately wrong: the function assigns …",
    "The function captures the variable, and grad captures the value.",
)
@over(mode=MODES, trainable=[False, True])
def test_assigned(mode, trainable):
    x = np.float32([[1.0], [2.0]])
    wrong, fixed = program("wrong/assigned.py"), program("assigned.py")
    kept = tf.Variable(0.0, trainable=trainable)

    @tf.custom_gradient
    def assigned(x):
        kept.assign(tf.reduce_mean(x * x))
        return tf.identity(x), lambda upstream: upstream / kept

    said = message(mode.gradient, lambda x: assigned(x), x)
    assert ("must accept keyword argument 'variables'" in said) == trainable
    assert trainable or said == ""
    if trainable:
        return
    passed = lambda x: wrong.scaled(x, wrong.power)  # noqa: E731
    said = message(mode.gradient, passed, x)
    assert ("no attribute 'assign'" in said) == (mode not in BESIDE)
    slope = mode.gradient(lambda x: fixed.scaled(x), x)
    assert same(slope, [[0.4], [0.4]], 1e-6) and same(fixed.power, 2.5, 1e-6)
    # A second call changes the gradient of the first, if grad reads the variable.

    def second_call(function):
        def both(x):
            y = function(x)
            function(4.0 * x)
            return y

        return mode.gradient(both, x)

    assert same(second_call(fixed.scaled), [[0.4], [0.4]], 1e-6)
    assert same(second_call(assigned), [[0.025], [0.025]], 1e-6)
    # A tensor and a stacked TensorArray need no variable.

    @tf.custom_gradient
    def listed(x):
        values = tf.TensorArray(tf.float32, 2).write(0, x).write(1, 2.0 * x)
        value, stacked = 2.0 * x, values.stack()

        def grad(upstream):
            assert mode not in BESIDE or same(stacked[1], value)
            return upstream * (stacked[1] + value) / 2.0

        return x * x, grad

    assert same(mode.gradient(lambda x: listed(x), 3.0), 6.0)


@says(
    "The eager call works, …",
    "The gradient is the …",
)
@over(eagerly=[False, True])
def test_assigned_in_fit(eagerly):
    wrong, fixed = program("wrong/assigned.py"), program("assigned.py")
    said, _ = fitted(lambda x: wrong.scaled(x, wrong.power), run_eagerly=eagerly)
    assert "'SymbolicTensor' object has no attribute 'assign'" in said
    assert trace("wrong/assigned.py")[0].numbers == [0.4, 0.4]
    said, kernel = fitted(fixed.scaled, run_eagerly=eagerly)
    # The loss is the mean of x², its slope x, and the power value 2.
    assert said == "" and np.isclose(kernel, 1.0 - 0.1 * (1.0 * 1.0 + 2.0 * 2.0) / 2.5)
    eager, graph, fit, by_hand = trace("assigned.py")
    assert eager.numbers == graph.numbers and fit.numbers == by_hand.numbers == [0.8]


@says(
    "Fix: let `grad` …",
    "In this program, `grad` …",
    "The factor depends …",
    "The gradients equal …",
    "`grad` reads the …",
    "In a `tf.function`, a …",
    "The backward pass …",
)
@over(place=["eager", "inside", "around", "XLA"])
def test_afterwards(place):
    defined = program("afterwards.py")
    read = {"factor": 1.0}

    @tf.custom_gradient
    def of_python(x):
        return tf.identity(x), lambda upstream: read["factor"] * upstream

    def slope(scaled, x, factor):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = scaled(x)
        defined.factor.assign(factor)
        read["factor"] = factor
        return tape.gradient(y, x)

    def run(scaled):
        if place == "around":
            return functools.partial(slope, tf.function(scaled, autograph=False))
        function = functools.partial(slope, scaled)
        if place == "eager":
            return function
        # No argument, since tf.function takes a decorated function for a tensor.
        return tf.function(
            lambda x, factor: function(x, factor),
            autograph=False,
            jit_compile=place == "XLA",
        )

    x = tf.constant(3.0)
    for scaled in (defined.scaled, of_python):
        ran, read["factor"] = run(scaled), 1.0
        for factor in (0.25, 4.0):
            given = factor if place in ("eager", "around") else tf.constant(factor)
            found = ran(x, given)
            if scaled is defined.scaled:
                assert same(found, factor)
            elif place == "around":
                assert same(found, 1.0)
    lines = trace("afterwards.py")
    assert len(lines) == 6
    for inside, around, by_hand in (lines[:3], lines[3:]):
        assert inside.numbers == around.numbers == by_hand.numbers


@says(
    "The decorator looks …",
    "This program builds …",
    "The call raises the error.",
    "A variable in …",
    "Use `tf.function` instead …",
    "In a `tf.function`, the …",
    "Deliberately wrong: a TensorFlow …",
    "In a TensorFlow 1.x …",
)
@over(collections=[[], ["local_variables"], ["variables"]], used=[False, True])
def test_unregistered(collections, used):
    def call():
        w = tf.compat.v1.get_variable(
            "w", initializer=2.0, use_resource=True, collections=collections
        )
        rule = tf.custom_gradient(
            lambda x: (
                x * (w if used else 1.0),
                lambda upstream, variables=None: (upstream, [upstream]),
            )
        )
        rule(tf.constant(3.0))

    with tf.Graph().as_default():
        said = message(call)
    missing = used and collections != ["variables"]
    assert ("Unsuccessful at finding variable w." in said) == missing
    assert missing or said == ""
    v = tf.Variable(2.0)
    rule = tf.custom_gradient(
        lambda x: (x * v, lambda upstream, variables=None: (upstream, [upstream]))
    )
    with mock.patch.object(of_tensorflow, "get_variable_by_name") as looked_up:
        assert same(INSIDE.gradient(lambda x: rule(x), 3.0), 1.0)
    assert not looked_up.called


history(
    "The error is a bug in TensorFlow.",
)
advice(
    "Fix: give the …",
    "Fix: read the variable outside the branch, …",
    "Fix: read the variable outside the loop, …",
    "Fix: pass `tf.convert_to_tensor(w)` …",
    "Fix: open a …",
    "Fix: pass the value …",
    "Write `assert isinstance(gradients, list)` …",
)
pointer(
    "The fix puts the …",
    "The fix creates the …",
    "grad_fn must accept keyword argument 'variables' — …",
    "Must return gradient for each variable from @custom_gradient grad_fn — …",
    'can only concatenate list (not "tuple") to list — …',
    "Scalar tensor has no `len()`, or …",
    "missing 1 required positional argument: 'variables' — …",
    "Tensor.graph is undefined when eager execution is enabled — …",
    "is in list of internal_captures but not in internal_capture_to_output — …",
    "must accept 'variables', for …",
    "A variable with `trainable=False` gets `None` — …",
    "tf.gradients is not supported when eager execution is enabled — …",
    "only supports singleton tf.Variables created on the first call — …",
    "'SymbolicTensor' object has no attribute 'assign' — …",
    "The gradient needs a value that is known only after the forward pass — …",
    "Unsuccessful at finding variable — …",
    "Message or symptom — Fix",
    "The fix passes the variable:",
    "The fix returns a list:",
    "The fix gives …",
    "The fix reads the variable before the …",
    "The fix passes the value of the weight:",
    "The fix uses a tape:",
    "The fix passes the value of the variable:",
    "More: if the …",
    "Asked in tensorflow#55304.",
    "Asked in probability#1514.",
    "Notice it earlier.",
    "Asked in tensorflow#31945, tensorflow#38622.",
    "More: when TensorFlow …",
    "Asked in tensorflow#43535.",
    "More: what `grad` returns.",
    "Asked in tensorflow#21756.",
    "Asked in tensorflow#50170.",
    "More: the same …",
    "More: pass the …",
    "Asked in keras#21105.",
    "More: in a Keras layer.",
    "Asked in tensorflow#34549, tensorflow#34235.",
    "Asked in tensorflow#38622, tensorflow#26812.",
)


@says(
    "Both gradients agree with automatic differentiation.",
    "The value is read outside the branch …",
    "Both gradients agree with those …",
    "The gradient agrees …",
    "The gradient of the …",
    "The gradient of `w` …",
    "In both modes, …",
    "The value is read outside the loop …",
    "The value is passed, …",
    "The variable is passed, …",
)
@over(
    name=[
        *("missing", "too_short", "a_tuple", "no_variables", "a_branch", "a_loop"),
        *("a_weight", "not_trainable", "by_gradients", "unregistered"),
    ]
)
def test_fixes(name):
    lines = trace(f"{name}.py")
    assert len(lines) > 1 and all(same(e.numbers, lines[-1].numbers) for e in lines)
    both = ("missing", "too_short", "a_tuple", "a_branch", "a_loop", "unregistered")
    assert len(lines[0].numbers) == (2 if name in both else 1)
