"""What the page on missing gradients says in words."""

import warnings

import keras

from truth.statements.tries import *

EAGERS = [EAGER, PERSISTENT]
X = np.ones([4, 1], "float32")
NONE = "ValueError: No gradients provided for any variable."


def fitted(loss, *layers, **options):
    """What ``fit`` ends with, what it warns of, and the model."""
    model = keras.Sequential([keras.Input([1]), keras.layers.Dense(1), *layers])
    model.compile("sgd", loss, **options)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        said = message(lambda: model.fit(X, X, verbose=0))
    return said, [str(each.message) for each in caught], model


def silent(p):
    return tf.ensure_shape(tf.numpy_function(np.abs, [p], tf.float32), [4, 1])


JUMPS = {
    "round": tf.round,
    "integer": lambda p: tf.cast(tf.cast(p, tf.int32), tf.float32),
    "stopped": tf.stop_gradient,
    "numpy": silent,
}


@says(
    "Keras ends with `No gradients provided for any variable.`, warns of variables without a gradient, or the tape says `None`, and the arithmetic after it fails.",
    "Behind each stands one fact: no path that the tape can walk leads from the loss to what you ask for.",
    "The optimizer of Keras says so when the gradient of each trainable variable is `None`.",
    "`tf.round` jumps, TensorFlow has no gradient for it, and there is no other path from this loss to the model.",
    "Wrong on purpose: the loss counts errors, so it jumps and has no slope.",
    "One step without a gradient is enough, if each path leads through it.",
    "The message names no step, and it is the same if the step stands in a layer.",
    "Wrong on purpose: each of these losses stops the gradient somewhere.",
)
@over(jump=JUMPS, eagerly=[False, True])
def test_no_gradients(jump, eagerly):
    def loss(y, p):
        return tf.abs(y - jump(p))

    assert EAGER.gradient(jump, X) is None
    assert fitted(loss, run_eagerly=eagerly)[0] == NONE
    if jump is not silent:
        layer = keras.layers.Activation(jump)
        assert fitted("mse", layer, run_eagerly=eagerly)[0] == NONE
    # With another path there is a gradient.
    said, warned, _ = fitted(lambda y, p: loss(y, p) + p, run_eagerly=eagerly)
    assert said == "" and not warned


@says("Wrong on purpose: each of these losses stops the gradient somewhere.")
def test_losses():
    lines = trace("wrong/causes.py")
    assert all(each.text.endswith(NONE[12:]) for each in lines) and len(lines) == 9
    assert EAGER.gradient(tf.round, 0.3) is None and tf.round(0.6) != tf.round(0.4)


@says(
    "The same loss with a rule: rounded forward, the identity backward.",
    "Count nothing in a loss, or give the jump a gradient of another function:",
)
@over(mode=[EAGER, INSIDE, AROUND, SYMBOLIC], p=numbers(-9, 9))
def test_rounded(mode, p):
    defined = program("errors.py")
    assert same(defined.rounded(tf.constant(p)), tf.round(p))
    assert same(mode.gradient(defined.rounded, p), 1.0)
    rounded, plain = trace("errors.py")[-2:]
    assert rounded.numbers == plain.numbers
    assert [each.numbers[-1] for each in trace("errors.py")[:3]] == [1, 2, 3]


@says(
    "Ask for the gradient of the loss with respect to `y_pred`, once, before `fit`: the next program does.",
    "Ask a persistent tape in two places: from the loss to `y_pred`, and from `y_pred` to each weight.",
    "Where the path ends: in the loss, in the model, or there is no weight.",
    "The program is a test to keep: `where_it_ends` should say `nowhere` before a long run.",
)
@over(jump=JUMPS)
def test_where_it_ends(jump):
    ends = program("causes.py").where_it_ends

    def model(middle):
        layers = [keras.layers.Dense(1), keras.layers.Activation(middle)]
        return keras.Sequential([keras.Input([1]), *layers, keras.layers.Dense(1)])

    def square(y, p):
        return (y - p) ** 2

    plain = model("tanh")
    assert ends(plain, lambda y, p: jump(p), X, X) == "in the loss"
    if jump is not silent:
        found = ends(model(jump), square, X, X)
        assert found.startswith("in the model, before") and found.count("kernel") == 1
    assert ends(plain, square, X, X) == "nowhere"
    plain.trainable = False
    assert ends(plain, square, X, X) == "the model has nothing to train"


@says(
    "Some gradients are `None`, and not all.",
    "A metric is no loss: what it alone looks at is not trained.",
    "Give the head a loss, or say that it is not trained.",
    'Make it an error: `warnings.simplefilter("error")` before the first step.',
    "Wrong on purpose: a head of the model that no loss looks at.",
    "The head has a loss; or its layer is not trained, and says so.",
)
@over(eagerly=[False, True], losses=[["mse", None], ["mse", "mse"]])
def test_heads(eagerly, losses):
    for filtered in ("error", "ignore"):
        inputs = keras.Input([1])
        shared = keras.layers.Dense(1)(inputs)
        heads = [keras.layers.Dense(1, name=name) for name in ("price", "mood")]
        model = keras.Model(inputs, [head(shared) for head in heads])
        model.compile("sgd", losses, metrics=[[], ["mae"]], run_eagerly=eagerly)
        before = [head.kernel.numpy() for head in heads]
        with warnings.catch_warnings():
            warnings.simplefilter(filtered)
            said = message(lambda: model.fit(X, [X, X], verbose=0))
        if filtered == "error":
            assert ("Gradients do not exist" in said) == (None in losses)
    after = [head.kernel.numpy() for head in heads]
    assert after[0] != before[0]
    assert (after[1] == before[1]) == (None in losses)
    without, loss, frozen = trace("unused.py")
    assert without.numbers == [1] and loss.numbers == frozen.numbers == [0]


@says(
    "Of a rule, arguments and variables get gradients, and `w` is a tensor that the rule closes over.",
    "Pass the weight, as a tensor, and return its gradient.",
    "The weight is an argument of the rule, as a tensor.",
    "Wrong on purpose: the rule of a layer closes over its weight.",
    "Compare a weight before and after one step of `fit`.",
    was="'only the arguments get gradients': with variables= the variables do",
)
@over(mode=[EAGER, INSIDE, AROUND, SYMBOLIC], passes=[True, False])
def test_closed_over(mode, passes):
    scaled = program("closed.py").scaled

    def loss(x, w):
        if passes:
            return scaled(x, w)
        return tf.custom_gradient(lambda x: (x * w, lambda u: u * w))(x)

    assert same(mode.gradients(loss, 3.0, 2.0), [2.0, 3.0 if passes else None])


@says(
    "Of a rule, arguments and variables get gradients, and `w` is a tensor that the rule closes over.",
)
@over(layer={"wrong": "wrong/closed.py", "right": "closed.py"}, eagerly=[False, True])
def test_closed_over_in_fit(layer, eagerly):
    defined = program(layer)
    scale = defined.Scale(defined.scaled) if "wrong" not in layer else defined.Scale()
    _, warned, _ = fitted("mse", scale, run_eagerly=eagerly)
    assert (scale.w.numpy() == 1.0) == bool(warned) == ("wrong" in layer)


@says(
    "`w - 0.1 * slope` is a tensor, and `w` is now its name.",
    "A tape watches trainable variables by itself, and no tensors.",
    "Change the variable with `assign_sub`, or leave it to an optimizer.",
    "`assert slope is not None` right after `tape.gradient`.",
    "Wrong on purpose: after the first step w is no variable any more.",
    "assign_sub changes the variable and keeps it one.",
)
@over(graph=[False, True])
def test_rebound(graph):
    w = tf.Variable(1.0)

    def slope(of):
        with tf.GradientTape() as tape:
            loss = of * of
        return tape.gradient(loss, of)

    run = tf.function(slope) if graph else slope
    changed = w - 0.1 * run(w)
    assert not isinstance(changed, tf.Variable) and slope(changed) is None
    w.assign_sub(0.1 * run(w))
    assert isinstance(w, tf.Variable) and run(w) is not None
    keras.optimizers.SGD(0.1).apply([run(w)], [w])
    assert run(w) is not None
    first, second = trace("wrong/rebound.py")[:2]
    assert "True" in first.text and "False" in second.text and "None" in second.text


@says(
    "A tape drops its list with its first answer.",
    "Ask once, with a list; or make the tape persistent, and it keeps its list.",
    "Wrong on purpose: one tape, asked twice.",
    "One question with a list; or a tape that keeps its list.",
    was="'keeps all intermediate values until it is deleted' was not tried",
)
@over(persistent=[False, True], graph=[False, True], ask=["gradient", "jacobian"])
def test_one_set(persistent, graph, ask):
    def twice(x, y):
        with tf.GradientTape(persistent=persistent) as tape:
            tape.watch([x, y])
            z = x * y
        return getattr(tape, ask)(z, x), getattr(tape, ask)(z, y)

    run = tf.function(twice, autograph=False) if graph else twice
    said = message(run, tf.constant(2.0), tf.constant(3.0))
    assert said.startswith("RuntimeError: A non-persistent") != persistent
    listed, kept, hand = (each.numbers for each in trace("twice.py"))
    assert listed == kept == hand


@says(
    "`tf.gradients` walks a graph that exists already; in eager mode there is none.",
    "Record with a tape, or call it inside `tf.function`.",
    "Wrong on purpose: the function of TensorFlow 1, outside of a graph.",
    "A tape; or tf.gradients inside a tf.function.",
)
@over(options=[None, {}, {"jit_compile": True}])
def test_tf_gradients(options):
    def slope(x):
        return tf.gradients(x * x, x)[0]

    if options is None:
        assert message(slope, tf.constant(3.0)).startswith("RuntimeError: tf.gradients")
    else:
        assert same(tf.function(slope, **options)(tf.constant(3.0)), 6.0)
    assert same(program("symbolic.py").by_tape(tf.constant(3.0)), 6.0)


@says(
    "An operation has a rule, is registered as not differentiable, or has no entry: then the walk stops here, and not with `None`.",
    "Write the formula with operations that have rules, or register one.",
    "Wrong on purpose: an operation for which TensorFlow has no rule.",
    "The same value from operations that have rules.",
)
@over(mode=[EAGER, INSIDE, AROUND, SYMBOLIC])
def test_no_entry(mode):
    x = np.float32([[[1.0], [2.0]], [[3.0], [6.0]]])
    said = message(mode.gradient, program("wrong/registry.py").contrast, x)
    assert "LookupError" in said and "AdjustContrast" in said
    assert mode.gradient(tf.round, x) is None  # not differentiable
    right = program("registry.py").contrast
    assert same(right(x), tf.image.adjust_contrast(x, 0.5))
    slope = mode.gradient(right, x, LOSSES["dense"])
    assert np.allclose(np.ravel(slope), np.arange(1, 5) * 0.5 + 1.25)


@says(
    "`tf.numpy_function` is one operation for the tape, and it has no gradient.",
    "A rule, with NumPy in both passes.",
    "Say the dtype and the shape: a graph knows neither.",
    "Wrong on purpose: NumPy computes the value, and the tape does not follow.",
    "A rule around NumPy: both passes call it, and say dtype and shape.",
)
@over(mode=[each for each in MODES if each not in (XLA, AROUND_XLA)], x=arrays((2,)))
def test_numpy(mode, x):
    assert mode.gradient(program("wrong/by_numpy.py").sine, x) is None
    defined = program("by_numpy.py")
    slope = mode.gradient(defined.sine, x, LOSSES["dense"])
    assert np.allclose(slope, np.cos(x) * [1, 2], 1e-5, 1e-6)
    shapes = []

    @tf.function
    def trace_shapes(x):
        shapes.append(tf.numpy_function(np.sin, [x], tf.float32).shape.rank)
        shapes.append(defined.sine(x).shape.rank)
        return x

    trace_shapes(tf.constant(x))
    assert shapes == [None, 1]


@says(
    "`tf.py_function` runs its function under a tape of its own, and asks that tape.",
    "NumPy leaves no path there, and the `None` becomes a scalar 0.",
    "Compute with TensorFlow inside, or write a rule.",
    "`assert gradient.shape == x.shape`: here one is empty.",
    "Wrong on purpose: NumPy inside py_function, whose gradient is then 0.",
    "TensorFlow inside py_function has its gradient.",
)
@over(mode=[each for each in MODES if each not in (XLA, AROUND_XLA)], x=arrays((2,)))
def test_py_function(mode, x):
    wrong = mode.gradient(program("wrong/py_function.py").sine, x)
    assert same(wrong, 0.0)
    right = mode.gradient(program("py_function.py").sine, x)
    assert np.allclose(right, np.cos(x), 1e-5, 1e-6) and right.shape == x.shape


@says(
    "A graph does not run NumPy while it is traced, so the result of `tf.numpy_function` has no static shape, and Keras asks for its rank.",
    "Say the shape with `tf.ensure_shape`, and give the loss a rule: with the shape alone, the next message is the first of this page.",
    "Wrong on purpose: a loss by numpy_function has no shape.",
    "A loss by NumPy, with a rule and a shape.",
)
def test_rank():
    def bare(y, p):
        return tf.numpy_function(np.subtract, [p, y], tf.float32)

    def shaped(y, p):
        return tf.ensure_shape(bare(y, p), p.shape)

    assert "unknown rank" in fitted(bare)[0]
    assert fitted(shaped)[0] == NONE
    assert fitted(program("rank.py").squared)[0] == ""
    ran = []
    traced = tf.function(
        lambda x: tf.numpy_function(lambda x: ran.append(x) or x, [x], tf.float32)
    )
    traced.get_concrete_function(tf.constant(1.0))
    assert not ran
    rule, mse = trace("rank.py")
    assert rule.numbers == mse.numbers


@says(
    "A graph holds NumPy to the dtype that was promised.",
    "Eagerly `tf.numpy_function` returns what it gets, here float64.",
    "Cast inside, in both passes.",
    "Wrong on purpose: float32 was promised, and NumPy returns float64.",
    "NumPy's result is cast to what was promised, and the rule to the same.",
)
@over(promised=[tf.float16, tf.float32], got=[np.float64, np.int32])
def test_promised(promised, got):
    def returned(x):
        return tf.numpy_function(lambda x: x.astype(got), [x], promised)

    x = tf.ones([3], promised)
    assert returned(x).dtype == got
    assert "but expects" in message(tf.function(returned), x)
    slope = program("double.py").gradient
    for run in (slope, tf.function(slope)):
        assert run(x).dtype == promised and same(run(x), [0.0, 0.5, 1.0])


UNSEEN = {
    "before": lambda tape, x, y: (y, x),
    "stopped": lambda tape, x, y: (stopped(tape, x), x),
    "copy": lambda tape, x, y: (x * x, tf.identity(x)),
    "equal": lambda tape, x, y: (x * x, tf.constant(3.0)),
    "integer": lambda tape, x, y: (tf.cast(x, tf.int32) ** 2, x),
}


def stopped(tape, x):
    with tape.stop_recording():
        return x * x


@says(
    "A tape records while it runs, from what is watched.",
    "It knows tensors by what they are, not by their values, and integers have no gradient.",
    "Watch first, compute inside the block, and ask for the float that was used.",
    "Wrong on purpose: the tape is asked for what it has not seen.",
    "Watched first, computed inside, and asked for what was used.",
)
@over(unseen=UNSEEN, graph=[False, True])
def test_returns_none(unseen, graph):
    def slopes(x):
        y = x * x
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            target, source = unseen(tape, x, y)
            seen = x * x
        return tape.gradient(target, source), tape.gradient(seen, x)

    run = tf.function(slopes, autograph=False) if graph else slopes
    none, right = run(tf.constant(3.0))
    assert none is None and same(right, 6.0)
    assert [each.text.split()[-1] for each in trace("wrong/asked.py")[1:7]] == (
        ["None"] * 6
    )
    assert same(program("asked.py").slope(tf.square, tf.constant(3)), 6.0)


pointer(
    "First come the messages, then the `None` without one.",
    "Notice it earlier.",
    "Asked in tensorflow#8625, tensorflow#52260.",
    "More: a gradient by decision.",
    "Asked in tensorflow#50111, tensorflow#42167, tensorflow#1511.",
    "More: where a path ends.",
    "Asked in tensorflow#42542, tensorflow#37501, tensorflow#48547.",
    "Asked in tensorflow#47469.",
    "More: the rule leaves an input out.",
    "Asked in tensorflow#42984.",
    "More: the source is another tensor.",
    "Asked in tensorflow#56968, tensorflow#47387, tensorflow#5888.",
    "More: where it breaks.",
    "Asked in StyleGAN2-Tensorflow-2.0#14, tensorflow#46487.",
    "More: one list or a persistent tape, the tape answered too early.",
    "Asked in tensorflow#33135, tensorflow#34235, tensorflow#44813.",
    "Asked in Open3D-ML#568, tensorflow#37091.",
    "Asked in tensorflow#1095, tensorflow#43916.",
    "More: the value left the tape.",
    "Asked in tensorflow#1095.",
    "Asked in tensorflow#43916.",
)
history("Older Keras had a name of its own for it.")
