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
    "Keras ends with …",
    "Behind each stands …",
    "The optimizer of …",
    "`tf.round` jumps, TensorFlow …",
    "Wrong on purpose: the loss …",
    "One step without …",
    "Each loss of …",
    "The message is …",
    "The message doesn't …",
    "Wrong on purpose: each …",
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


@says("Wrong on purpose: each …")
def test_losses():
    lines = trace("wrong/causes.py")
    assert all(each.text.endswith(NONE[12:]) for each in lines) and len(lines) == 9
    assert EAGER.gradient(tf.round, 0.3) is None and tf.round(0.6) != tf.round(0.4)


@says(
    "The same loss …",
    "Count nothing in …",
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
    "Ask for the …",
    "Fix: ask a …",
    "The function `where_it_ends` …",
    "A head without …",
    "Where a layer …",
    "Where the path …",
    "Keep the program …",
    was="'nowhere': the weights of a head that no loss uses have no gradient",
)
@over(jump=JUMPS)
def test_where_it_ends(jump):
    ends = program("causes.py").where_it_ends

    def model(middle, heads=1):
        inputs = keras.Input([1])
        shared = keras.layers.Dense(1, name="shared")(inputs)
        shared = keras.layers.Activation(middle)(shared)
        last = [keras.layers.Dense(1, name=f"head{n}")(shared) for n in range(heads)]
        return keras.Model(inputs, last if heads > 1 else last[0])

    def square(y, p):
        return (y - p) ** 2

    def jumps(y, p):
        return jump(p)

    for heads in (1, 2, 3):
        plain = model("tanh", heads)
        assert ends(plain, [square] * heads, X, X) == "nowhere"
        rest = [square] * (heads - 1)
        name = plain.output_names[-1]
        found = ends(plain, [*rest, jumps], X, X)
        assert found.startswith(f"in the loss of {name}; no gradient for")
        assert found.count("/kernel") == (1 if heads > 1 else 2)
        found = ends(plain, [*rest, None], X, X)
        assert found.startswith(f"{name} has no loss; no gradient for")
        assert ("shared" in found) == (heads == 1)
        if jump is not silent:
            found = ends(model(jump, heads), [square] * heads, X, X)
            assert found == "no gradient for ['shared/kernel', 'shared/bias']"
        plain.trainable = False
        assert ends(plain, [square] * heads, X, X) == "the model has nothing to train"
    right, unused, rounds, layer, frozen = (each.text for each in trace("causes.py"))
    assert right.endswith("nowhere") and frozen.endswith("nothing to train")
    assert "mood has no loss" in unused and "['mood/kernel']" in unused
    assert "in the loss of mood" in rounds and "['shared/kernel']" in layer


@says(
    "Some gradients are …",
    "A metric is …",
    "Give the head …",
    "Make it an …",
    "Wrong on purpose: a head …",
    "The head has …",
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
    "Of a rule, …",
    "Pass the weight, …",
    "The weight is …",
    "Wrong on purpose: the rule …",
    "Compare a weight …",
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
    "Of a rule, …",
)
@over(layer={"wrong": "wrong/closed.py", "right": "closed.py"}, eagerly=[False, True])
def test_closed_over_in_fit(layer, eagerly):
    defined = program(layer)
    scale = defined.Scale(defined.scaled) if "wrong" not in layer else defined.Scale()
    _, warned, _ = fitted("mse", scale, run_eagerly=eagerly)
    assert (scale.w.numpy() == 1.0) == bool(warned) == ("wrong" in layer)


@says(
    "`w - 0.1 * slope` …",
    "A tape watches …",
    "Change the variable …",
    "`assert slope is not None` …",
    "Wrong on purpose: after …",
    "assign_sub changes the …",
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
    "A tape drops …",
    "Ask once, with …",
    "Wrong on purpose: one …",
    "One question with …",
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
    "`tf.gradients` walks a …",
    "Record with a …",
    "Wrong on purpose: the function …",
    "A tape; or …",
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
    "An operation has …",
    "Write the formula …",
    "Wrong on purpose: an …",
    "The same value …",
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
    "`tf.numpy_function` is one …",
    "A rule, with …",
    "Say the dtype …",
    "Wrong on purpose: NumPy computes …",
    "A rule around …",
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
    "`tf.py_function` runs its …",
    "NumPy leaves no …",
    "Compute with TensorFlow …",
    "`assert gradient.shape == x.shape` finds …",
    "Wrong on purpose: NumPy inside …",
    "TensorFlow inside py_function …",
    was="'here one is empty': both are, for a scalar",
)
@over(mode=[each for each in MODES if each not in (XLA, AROUND_XLA)], x=arrays((2,)))
def test_py_function(mode, x):
    sine = program("wrong/py_function.py").sine
    for given in (x, x[0]):
        wrong = mode.gradient(sine, given)
        assert same(wrong, 0.0) and (wrong.shape == given.shape) == (given is not x)
    right = mode.gradient(program("py_function.py").sine, x)
    assert np.allclose(right, np.cos(x), 1e-5, 1e-6) and right.shape == x.shape


@says(
    "Set the shape …",
    "The kernel after …",
    was="without a shape: 'Cannot take the length of shape with unknown rank.' in fit",
)
@over(eagerly=[False, True], shaped=[False, True])
def test_py_function_in_fit(eagerly, shaped):
    def bare(x):
        return tf.py_function(tf.sin, [x], tf.float32)

    layer = keras.layers.Lambda(program("py_function.py").sine if shaped else bare)
    said = fitted("mse", layer, run_eagerly=eagerly)[0]
    assert ("unknown rank" in said) == (not shaped and not eagerly)
    assert not shaped or said == ""
    ranks = []
    tf.function(lambda x: ranks.append(bare(x).shape.rank) or x)(X)
    assert ranks == [None]
    by_function, by_sin = (each.numbers for each in trace("py_function.py")[-2:])
    assert by_function == by_sin


@says(
    "Fix: check each …",
    "The loss of …",
    "The message depends …",
    "TensorFlow converts each …",
    "Eagerly the message …",
    "In a graph it ends …",
    "A Python number times …",
    "The check names …",
    '`unconnected_gradients="zero"` also …',
    "Deliberately wrong: the update …",
    "The step looks …",
)
@over(graph=[False, True], on=["variable", "tensor"])
def test_arithmetic(graph, on):
    eager, in_graph = (
        "Attempt to convert a value (None) with",
        "None values not supported.",
    )
    w = tf.Variable(2.0)
    left = w if on == "variable" else tf.constant(2.0)
    converts = {
        "minus": lambda g: left - g,
        "from": lambda g: g - left,
        "times": lambda g: left * g,
        "stack": lambda g: tf.stack([g, g]),
        "sum": lambda g: tf.reduce_sum(g),
        "assign": w.assign_sub,
    }

    def said(update, **options):
        def step():
            with tf.GradientTape() as tape:
                loss = tf.constant(1.0) * 3.0
            return update(tape.gradient(loss, w, **options))

        return message(tf.function(step, autograph=False) if graph else step)

    for update in converts.values():
        found = said(update)
        assert found.startswith("ValueError: ")
        assert (in_graph if graph else eager) in found
        w.assign(2.0)
        assert said(update, unconnected_gradients="zero") == "" and same(w, 2.0)
    assert said(lambda g: 0.1 * g).startswith("TypeError: unsupported operand type(s)")
    lines = [each.text for each in trace("wrong/arithmetic.py")]
    assert len({each.partition("Error: ")[2] for each in lines}) == 5
    for line in lines:
        expected = eager[:-5] if line.startswith("eager") else in_graph
        assert expected in line or "0.1 * g: TypeError" in line
    checked = [each.text for each in trace("arithmetic.py")]
    assert sum("unused:0" in each for each in checked[:2]) == 2
    assert [each.split()[2:] for each in checked[2:]] == [["0.6", "1.9"]] * 2


@says(
    "A graph does …",
    "Say the shape …",
    "Wrong on purpose: a loss …",
    "A loss by …",
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
    "A graph holds …",
    "Eagerly `tf.numpy_function` returns …",
    "Cast inside, in …",
    "Wrong on purpose: float32 …",
    "NumPy's result is …",
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
    "A tape records …",
    "It knows tensors …",
    "Watch first, compute …",
    "Wrong on purpose: the tape …",
    "Watched first, computed …",
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
    "First come the …",
    "More: None is not zero.",
    "Notice it earlier.",
    "Asked in tensorflow#8625, tensorflow#52260.",
    "More: a gradient …",
    "Asked in tensorflow#50111, …",
    "More: where a …",
    "Asked in tensorflow#42542, …",
    "Asked in tensorflow#47469.",
    "More: the rule …",
    "Asked in tensorflow#42984.",
    "More: the source …",
    "Asked in tensorflow#56968, …",
    "More: where it breaks.",
    "Asked in StyleGAN2-Tensorflow-2.0#14, tensorflow#46487.",
    "More: one list …",
    "Asked in tensorflow#33135, …",
    "Asked in Open3D-ML#568, tensorflow#37091.",
    "Asked in tensorflow#1095, tensorflow#43916.",
    "More: the value …",
    "Asked in tensorflow#1095.",
    "Asked in tensorflow#43916.",
)
history("Older Keras had …")
