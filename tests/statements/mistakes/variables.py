"""What the page on variables says in words."""

from unittest import mock

from tensorflow.python.ops import custom_gradient as of_tensorflow
from tensorflow.python.platform import tf_logging

from truth.statements.tries import *

BESIDE = [EAGER, PERSISTENT]
SOME = [EAGER, INSIDE, AROUND, SYMBOLIC]


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
    "A rule whose …",
    "Most slips have …",
    "TensorFlow adds the …",
    "Python adds a …",
    "The length of …",
    "It shows at …",
    "Wrong on purpose: the gradients …",
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


@says(
    "The decorator watches …",
    "The function read `w`, …",
    "The forward call …",
    "Passing the variable …",
    "Call the function …",
    "The decorator counts …",
    "Wrong on purpose: the rule has …",
    "The variable is passed, and its …",
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
    "The function reads …",
    "The length is …",
    "A list in …",
    "Wrong on purpose: two …",
    "One gradient for …",
)
@over(mode=SOME, count=[1, 2, 3])
def test_too_short(mode, count):
    _, rule = reading(2, lambda gx, gw: (gx, [gw] * count))
    said = message(mode.gradient, rule, 3.0)
    assert ("Must return gradient for each variable" in said) == (count != 2)
    assert count != 2 or said == ""
    defined = program("too_short.py")
    with tf.GradientTape() as tape:
        y = defined.line(tf.constant(3.0))
    assert same(tape.gradient(y, [defined.slope, defined.offset]), [3.0, 1.0])


@says(
    "A scalar has …",
    "A tensor whose …",
    "Put the gradient …",
    "Wrong on purpose: the gradient of …",
    "A list of …",
    was="'passes the comparison': in a graph a tensor has no length",
)
@over(value=[2.0, [2.0, 3.0], [2.0]])
def test_bare(value):
    product, w = program("wrong/bare.py").with_variable(value)
    said = message(EAGER.gradient, product, tf.ones_like(w))
    assert ("has no `len()`" in said) == (w.shape == [])
    assert ("for each variable" in said) == (w.shape == [2])
    assert ("too few gradients" in said) == (w.shape == [1])
    in_graph = message(INSIDE.gradient, lambda x: product(x), tf.ones_like(w))
    assert "len is not well defined" in in_graph


@says(
    "`variables` is sent …",
    "Here `w` is …",
    "Wrong on purpose: the rule demands …",
    "A variable that …",
)
@over(mode=SOME, passed=[True, False])
def test_sent(mode, passed):
    w, sent = tf.Variable(2.0), []

    @tf.custom_gradient
    def rule(x, *given):
        def grad(upstream, **others):
            sent.append([*others])
            gradients = [upstream] * (1 + passed)
            return (gradients, [upstream]) if others else gradients

        return x * (given[0] if passed else w), grad

    mode.gradient(lambda x: rule(x, *[w] * passed), 3.0)
    assert sent and all(each == ([] if passed else ["variables"]) for each in sent)
    product = program("wrong/no_variables.py").product
    said = message(mode.gradient, lambda x: product(x, w), 3.0)
    assert "missing 1 required positional argument: 'variables'" in said


@says(
    "In a graph, …",
    "Where the rule …",
    "Wrong on purpose: a rule reads a variable in a branch …",
    "The value is read outside and …",
)
@over(mode=MODES)
def test_a_branch(mode):
    branched = program("wrong/a_branch.py").branched
    said = message(mode.gradient, lambda x: branched(x), 3.0)
    assert ("Tensor.graph is undefined" in said) == (mode not in BESIDE)
    fixed = program("a_branch.py").branched
    assert same(mode.gradient(lambda x: fixed(x), 3.0), 2.0)
    assert raised(lambda: tf.Variable(2.0).graph) is not None
    w = tf.Variable(2.0)

    @tf.custom_gradient
    def unread(x):
        return w * x, lambda upstream, variables=None: (2.0 * upstream, [upstream])

    branch = lambda x: tf.cond(x > 0.0, lambda: unread(x), lambda: x)  # noqa: E731
    assert same(mode.gradient(branch, 3.0), 2.0)


@says(
    "In a graph TensorFlow …",
    "The level of …",
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
    "In a graph the …",
    "The rule reads …",
    "Eagerly a loop …",
    "`tf.recompute_grad` of a …",
    "Wrong on purpose: a rule reads a variable in a tf.while_loop.",
    "The value is read outside of …",
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
    "A Keras weight …",
    "Reading it is …",
    "Inside `tf.function` the …",
    "Wrong on purpose: a Keras …",
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
    "One that is …",
    "Wrong on purpose: the variable …",
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
            return tape.gradient(y, [defined.w])

        run = tf.function(run) if graph and not around else run
        assert same(run(tf.constant(3.0)), [right])


@says(
    "`tf.gradients` walks a …",
    "With `variables`, the …",
    "Wrong on purpose: the rule calls tf.gradients.",
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


@says(
    "The function makes …",
    "Eagerly that passes, …",
    "`tape.watched_variables()` should name …",
    "Wrong on purpose: the function …",
    "The variable is made …",
)
@over(calls=[2, 3])
def test_created(calls):
    defined = program("wrong/created.py")
    made = []
    for _ in range(calls):
        with tf.GradientTape() as tape:
            defined.product(tf.constant(3.0))
        made += tape.watched_variables()
    assert len({each.ref() for each in made}) == calls
    said = message(tf.function(defined.gradients), tf.constant(3.0))
    assert "only supports singleton tf.Variables" in said
    fixed, w = program("created.py"), []
    for _ in range(calls):
        with tf.GradientTape() as tape:
            fixed.product(tf.constant(3.0), fixed.w)
        w += tape.watched_variables()
    assert len({each.ref() for each in w}) == 1


@says(
    "In a graph of …",
    "One of another …",
    "Inside `tf.function` variables …",
    "Wrong on purpose: a variable …",
    "The variable is passed, and is …",
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


history("That is a …")


advice(
    "Pass the variable.",
    "Where that cannot …",
    "Return a list as …",
    "Return a list.",
    "`assert isinstance(gradients, list)` …",
    "Give the parameter …",
    "Have no `variables` …",
    "Read the variable outside of the branch, …",
    "Take a gradient through each …",
    "Read the variable outside of the loop, …",
    "Take a gradient through the …",
    "Pass `tf.convert_to_tensor(w)`.",
    "Pass it as …",
    "`assert gradient is not None`.",
    "Open a tape …",
    "Make the variable …",
    "Pass the value …",
)
pointer(
    "The entries begin …",
    "Asked in tensorflow#55304.",
    "Asked in probability#1514.",
    "Notice it earlier.",
    "Asked in tensorflow#31945, tensorflow#38622.",
    "More: when it …",
    "Asked in tensorflow#43535.",
    "More: what is returned.",
    "Asked in tensorflow#21756.",
    "Asked in tensorflow#50170.",
    "More: in a branch, …",
    "More: in a branch.",
    "Asked in keras#21105.",
    "More: in a Keras layer.",
    "Asked in tensorflow#34549, tensorflow#34235.",
    "Asked in tensorflow#38622, tensorflow#26812.",
)
