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
    "A rule whose function reads a variable must take a keyword argument, return a pair, and give the second item as a list.",
    "Most slips have a message, and few messages name the slip.",
    "TensorFlow adds the gradients of the variables to its own list, with a plus sign between.",
    "Python adds a list to a list, and no tuple.",
    "The length of what stands for the list is compared with the number of variables.",
    "It shows at the first gradient, in each mode.",
    "Wrong on purpose: the gradients of the variables are in a tuple.",
    "A pair, whose second item is a list.",
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
    "The decorator watches which trainable variables the function reads.",
    "The function read `w`, `w` is no argument, and `grad` has no parameter for its gradient.",
    "The forward call raises, before any gradient is asked for.",
    "Passing the variable as an argument avoids nearly all of this page.",
    "Call the function once: no tape is needed.",
    "The decorator counts trainable variables.",
    "Wrong on purpose: the rule has no place for the variable it reads.",
    "The variable is passed, and its gradient has a place.",
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
    "The function reads two variables, and the list has one gradient.",
    "The length is compared; which gradient belongs to which variable is not.",
    "A list in the wrong order is silent, so match variables by `ref()`.",
    "Wrong on purpose: two variables, and a list of one gradient.",
    "One gradient for each variable, found by its identity.",
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
    "A scalar has no length, and a vector of two has the wrong one.",
    "A tensor whose first axis has length 1 passes the comparison.",
    "Put the gradient into a list, also a single one.",
    "Wrong on purpose: the gradient of the variable is a bare tensor.",
    "A list of one gradient, for variables of several shapes.",
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
    "`variables` is sent where the function reads a variable that is not among its arguments.",
    "Here `w` is an argument, and the rule is called without.",
    "Wrong on purpose: the rule demands variables that nobody sends.",
    "A variable that is passed is an input, and no entry of variables.",
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
    "In a graph, the gradient of a branch of `tf.cond` is built apart.",
    "Where the rule reads the variable there, the variable is asked for its graph, and has none; a rule that does not read it is right.",
    "Wrong on purpose: a rule reads a variable in a branch of tf.cond.",
    "The value is read outside and passed; the rule has its own graph.",
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
    "In a graph TensorFlow notes that the parameter is there for nothing: “@custom_gradient grad_fn has 'variables' in signature, but no ResourceVariables were used on the forward pass.”",
    "The level of that note is off by default.",
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
    "In a graph the gradient of a loop is a loop, and the values of the first one are stacked for it.",
    "The rule reads a variable there instead, which is no value of the first loop.",
    "Eagerly a loop is a Python loop, and the rule works.",
    "`tf.recompute_grad` of a layer is such a rule.",
    "Wrong on purpose: a rule reads a variable in a tf.while_loop.",
    "The value is read outside of the loop, and passed.",
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
    "A Keras weight is not a `tf.Variable`; it holds one.",
    "Reading it is noticed, and the variable that was read is not the object that was passed.",
    "Inside `tf.function` the weight is converted first, and the call passes: try it eagerly.",
    "Wrong on purpose: a Keras weight is passed as it is.",
    "The value of the weight is passed.",
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
    "One that is not trainable is read without a word, and gets no gradient from the rule, though the tape was told to watch it.",
    "Wrong on purpose: the variable that the rule reads is not trainable.",
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
    "`tf.gradients` walks a graph, and eagerly there is none.",
    "With `variables`, the tape takes them as sources: a rule about `x` alone.",
    "Wrong on purpose: the rule calls tf.gradients.",
    "A tape in the rule runs the forward pass again.",
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
    "The function makes a new variable in each call.",
    "Eagerly that passes, and each call trains a variable that is then thrown away; `tf.function` refuses it.",
    "`tape.watched_variables()` should name the same variables in each step.",
    "Wrong on purpose: the function makes its variable in each call.",
    "The variable is made once, outside, and passed.",
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
    "In a graph of TensorFlow 1.x the decorator walks back from the outputs, and looks up each variable that it meets by its name, among the global variables.",
    "One of another collection, or of none, is not there.",
    "Inside `tf.function` variables are noticed as they are read, and none is looked up.",
    "Wrong on purpose: a variable of no collection, in a graph of version 1.",
    "The variable is passed, and is not looked for.",
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


history("That is a bug of TensorFlow.")


advice(
    "Pass the variable.",
    "Where that cannot be, write `grad(upstream, variables=None)` and return a pair.",
    "Return a list as long as `variables`, in the order of `variables`.",
    "Return a list.",
    "`assert isinstance(gradients, list)` at the end of the rule.",
    "Give the parameter a default, `variables=None`, and look which case it is; or leave it out.",
    "Have no `variables` in a rule whose variables are arguments.",
    "Read the variable outside of the branch, pass the value, and put `tf.function` around the rule.",
    "Take a gradient through each branch inside `tf.function`.",
    "Read the variable outside of the loop, and pass the value to the rule.",
    "Take a gradient through the loop inside `tf.function`.",
    "Pass `tf.convert_to_tensor(w)`.",
    "Pass it as an argument.",
    "`assert gradient is not None`.",
    "Open a tape inside the rule, and run the forward pass under it again.",
    "Make the variable once, outside, and pass it.",
    "Pass the value of the variable, or register it among the global variables.",
)
pointer(
    "The entries begin with the most frequent.",
    "Asked in tensorflow#55304.",
    "Asked in probability#1514.",
    "Notice it earlier.",
    "Asked in tensorflow#31945, tensorflow#38622.",
    "More: when it is demanded.",
    "Asked in tensorflow#43535.",
    "More: what is returned.",
    "Asked in tensorflow#21756.",
    "Asked in tensorflow#50170.",
    "More: in a branch, where no variable is read.",
    "More: in a branch.",
    "Asked in keras#21105.",
    "More: in a Keras layer.",
    "Asked in tensorflow#34549, tensorflow#34235.",
    "Asked in tensorflow#38622, tensorflow#26812.",
)
