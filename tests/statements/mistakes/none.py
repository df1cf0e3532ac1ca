"""What the page on missing gradients says in words."""

import logging
import warnings

import keras
from tensorflow.python.platform import tf_logging

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


class Subclassed(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = keras.layers.Dense(1)

    def call(self, x):
        return self.dense(x)


JUMPS = {
    "round": tf.round,
    "integer": lambda p: tf.cast(tf.cast(p, tf.int32), tf.float32),
    "greater": lambda p: tf.cast(p > 0.5, tf.float32),
    "stopped": tf.stop_gradient,
    "numpy": silent,
}


@says(
    "Keras raises this …",
    "`tf.round` has no …",
    "This loss rounds …",
    "Deliberately wrong: the loss …",
    "The message is …",
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


@says(
    "The loss rounds …",
    "Fix: find the …",
    "For rounding, use …",
    "The fixed program rounds …",
    "The kernel changes, …",
)
@over(mode=[EAGER, INSIDE, AROUND, SYMBOLIC], p=numbers(-9, 9))
def test_rounded(mode, p):
    defined = program("errors.py")
    assert same(defined.rounded(tf.constant(p)), tf.round(p))
    assert same(mode.gradient(defined.rounded, p), 1.0)

    def line(y):
        return y + tf.stop_gradient(tf.round(y) - y)

    assert same(mode.gradient(line, p), 1.0)
    assert same(line(tf.constant(p)), tf.round(p), 1e-5)
    rounded, plain = trace("errors.py")[-2:]
    assert rounded.numbers == plain.numbers
    assert [each.numbers[-1] for each in trace("errors.py")[:3]] == [1, 2, 3]


@says(
    "Fix: copy `where_it_ends` …",
    "It reports the …",
    "So the helper …",
    "Pass `None` for …",
    "The helper then …",
    "If a layer …",
    "Before `fit`, compute …",
    "Where the path …",
    "Keep the program …",
    was=(
        "'nowhere': the weights of a head that no loss uses have no gradient",
        "'your model': a Sequential and a subclassed model raised an AttributeError",
    ),
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
    # A Sequential and a subclassed model name no outputs.
    for other in keras.Sequential([keras.layers.Dense(1)]), Subclassed():
        assert ends(other, [square], X, X) == "nowhere"
        assert ends(other, [jumps], X, X).startswith("in the loss of output 0; no")
    right, unused, rounds, layer, frozen = (each.text for each in trace("causes.py"))
    assert right.endswith("nowhere") and frozen.endswith("nothing to train")
    assert "mood has no loss" in unused and "['mood/kernel']" in unused
    assert "in the loss of mood" in rounds and "['shared/kernel']" in layer


@says(
    "Fix: give the …",
    "The output `mood` …",
    "Keras only warns, …",
    "Keras prints this …",
    "A metric isn't …",
    "If `mood` has …",
    "Turn the warning …",
    "Deliberately wrong: a head …",
)
@over(
    eagerly=[False, True],
    losses=[["mse", None], ["mse", "mse"]],
    trainable=[True, False],
)
def test_heads(eagerly, losses, trainable):
    unused = None in losses and trainable
    for filtered in ("error", "always") if unused else ("always",):
        inputs = keras.Input([1])
        shared = keras.layers.Dense(1)(inputs)
        heads = [
            keras.layers.Dense(1, name=name, trainable=trainable or name != "mood")
            for name in ("price", "mood")
        ]
        model = keras.Model(inputs, [head(shared) for head in heads])
        model.compile("sgd", losses, metrics=[[], ["mae"]], run_eagerly=eagerly)
        before = [head.kernel.numpy() for head in heads]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter(filtered)
            said = message(lambda: model.fit(X, [X, X], verbose=0))
        if filtered == "error":
            assert "Gradients do not exist" in said
    warned = any("Gradients do not exist" in str(each.message) for each in caught)
    assert said == "" and warned == unused
    after = [head.kernel.numpy() for head in heads]
    assert after[0] != before[0]
    assert (after[1] == before[1]) == (None in losses or not trainable)
    warned = [each.text for each in trace("wrong/unused.py")]
    assert all("['mood/kernel', 'mood/bias']" in each for each in warned) and warned


@says(
    "Only the arguments …",
    "Fix: pass the …",
    "The layer converts …",
    "The weight is an …",
    "Deliberately wrong: the gradient …",
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
    "Only the arguments …",
    "The weight is still …",
    "The weight changes …",
)
@over(layer={"wrong": "wrong/closed.py", "right": "closed.py"}, eagerly=[False, True])
def test_closed_over_in_fit(layer, eagerly):
    defined = program(layer)
    scale = defined.Scale(defined.scaled) if "wrong" not in layer else defined.Scale()
    _, warned, _ = fitted("mse", scale, run_eagerly=eagerly)
    assert (scale.w.numpy() == 1.0) == bool(warned) == ("wrong" in layer)


@says(
    "`w - 0.1 * gradient` …",
    "A tape watches …",
    "Fix: update the …",
    "The tape doesn't watch tensors …",
    "Multiplying it by …",
    "In contrast, `assign_sub` …",
    "Deliberately wrong: after …",
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
    "A tape that isn't persistent drops its record when it computes the …",
    "Without `stop_recording`, …",
    "Fix: call `tape.gradient` …",
    "`tape.gradient(z, [x, y])` computes …",
    "A persistent tape …",
    "Deliberately wrong: two …",
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

    def listed(x, y):
        with tf.GradientTape(persistent=persistent) as tape:
            tape.watch([x, y])
            z = x * y
        if ask == "gradient":
            return tape.gradient(z, [x, y])
        return tape.jacobian(z, [x, y])

    run = tf.function(listed, autograph=False) if graph else listed
    assert same(run(tf.constant(2.0), tf.constant(3.0)), [3.0, 2.0])
    if persistent:
        assert same(twice(tf.constant(2.0), tf.constant(3.0)), [3.0, 2.0])


@says(
    "`tf.gradients` differentiates a …",
    "Fix: use a `tf.GradientTape`, …",
    "Deliberately wrong: the function …",
)
@over(options=[None, {}, {"jit_compile": True}])
def test_tf_gradients(options):
    def slope(x):
        return tf.gradients(x * x, x)[0]

    if options is None:
        assert message(slope, tf.constant(3.0)).startswith("RuntimeError: tf.gradients")
    else:
        assert same(tf.function(slope, **options)(tf.constant(3.0)), 6.0)
    assert same(EAGER.gradient(lambda x: x * x, 3.0), 6.0)


@says(
    "TensorFlow looks up …",
    "If the registry lists …",
    "If the registry has …",
    "`tf.image.adjust_contrast` is an …",
    "The values are …",
    "Fix: write the …",
    "Deliberately wrong: an …",
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
    "The tape records `tf.numpy_function` …",
    "Fix: decorate the …",
    "The fixed program also …",
    "The gradient equals …",
    "If the function exists …",
    "Deliberately wrong: NumPy computes …",
    "A custom gradient around …",
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
    "`tf.py_function` records its …",
    "That tape can't …",
    "Fix: replace NumPy …",
    "`assert gradient.shape == x.shape` …",
    "Deliberately wrong: NumPy inside …",
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
    "In a graph, the result of …",
    "After one step of `fit`, the kernel is the same as with `tf.sin`.",
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
    "TensorFlow converts each …",
    "In eager mode, the message …",
    "In a graph, it …",
    "A Python number times …",
    "The new message …",
    '`unconnected_gradients="zero"` also …',
    "Deliberately wrong: the update …",
    "The step checks …",
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
    assert [each.split(":")[0] for each in checked] == ["eager", "graph"]
    assert all("unused:0" in each for each in checked)


@says(
    "TensorFlow doesn't run …",
    "However, Keras needs …",
    "Fix: set the …",
    "If you set …",
    "This loss is …",
    "After one step of `fit`, the kernel is the same as with Keras's `mse`.",
    "Deliberately wrong: the result …",
    "A loss computed …",
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
    "In a graph, `tf.numpy_function` …",
    "In eager mode, it …",
    "Fix: in the …",
    "For example, use …",
    "The call of …",
    "Deliberately wrong: float32 …",
)
@over(promised=[tf.float16, tf.float32], got=[np.float64, np.int32])
def test_promised(promised, got):
    def returned(x):
        return tf.numpy_function(lambda x: x.astype(got), [x], promised)

    x = tf.ones([3], promised)
    assert message(returned, x) == "" and returned(x).dtype == got
    assert "but expects" in message(tf.function(returned), x)

    def cast(x):
        like = promised.as_numpy_dtype
        return tf.numpy_function(lambda x: (2.0 * x).astype(like), [x], promised)

    @tf.custom_gradient
    def doubled(x):
        return cast(x), lambda upstream: tf.ensure_shape(cast(upstream), x.shape)

    for mode in (EAGER, INSIDE):
        gradient = mode.gradient(doubled, x)
        assert gradient.dtype == promised and same(gradient, [2.0, 2.0, 2.0])
    assert trace("wrong/double.py")[0].text.endswith("float64")


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
    "A gradient is …",
    "Fix: call `tape.watch(x)` …",
    "Fix: pass `tape.gradient` …",
    "The tape identifies …",
    "The tape records only while …",
    "Fix: move every …",
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
    # A recorded path with a gradient function that returns None.
    ends = tf.custom_gradient(lambda x: (x * x, lambda upstream: None))
    mode = INSIDE if graph else EAGER
    assert mode.gradient(lambda x: 2.0 * ends(tf.sin(x)), 3.0) is None
    w = tf.Variable(3.0)
    assert isinstance(w, tf.Variable) and same(EAGER.gradient(lambda x: x * x, w), 6.0)


# The twelve causes.


def steps_of(name):
    """What the last word of each line of a program is, by the words before it."""
    return {
        " ".join(line.text.split()[:-1]): line.text.split()[-1] for line in trace(name)
    }


@says(
    "Fix: compute the …",
    "The step whose …",
    "`path_ends_in` does this …",
    "The helper names …",
    "It watches each …",
    "The loss also …",
    "However, the part …",
    "In this program, …",
    "A helper that …",
)
@over(
    cut={
        "clip": lambda x: np.clip(x, -1, 1),
        "numpy": lambda x: x.numpy() * 3,
        "stopped": lambda x: tf.stop_gradient(x) * 2,
        "round": tf.round,
        "variable": lambda x: tf.Variable(x) * 1.0,
        "constant": lambda x: tf.constant(1.0),
    },
    others=[[], [tf.sin], [tf.sin, tf.exp]],
    twice=[False, True],
)
def test_path_ends_in(cut, others, twice):
    ends = program("path.py").path_ends_in

    def broken(x):
        return cut(x)

    x = tf.constant(0.25)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.convert_to_tensor(broken(x))
    assert tape.gradient(y, x) is None
    steps = [*others, broken, *others, *([broken] if twice else [])]
    assert ends(x, *steps) == ["broken"] * (1 + twice)
    assert ends(x, *others) == []
    named, alone, both = trace("path.py")
    assert named.text.endswith("['clipped']")
    assert alone.text.endswith("None") and both.numbers == [1.0]

    def whole(x):
        return tf.convert_to_tensor(broken(x)) + x

    assert same(PERSISTENT.gradient(whole, 0.25), 1.0)


@says(
    "Fix: use the TensorFlow …",
    "Both lines in …",
    "The tape records only TensorFlow operations.",
    "NumPy returns an …",
    "np.square returns a …",
)
@over(x=numbers(-9, 9))
def test_to_numpy(x):
    tape = tf.GradientTape(persistent=True)
    with tape:
        x = tf.Variable(x)
        arrays = {"numpy": x.numpy(), "square": np.square(x)}
        lost = {name: tf.constant(each) for name, each in arrays.items()}
        kept = tf.square(x)
    assert all(isinstance(each, np.generic | np.ndarray) for each in arrays.values())
    assert all(tape.gradient(each, x) is None for each in lost.values())
    assert same(lost["square"], kept) and same(tape.gradient(kept, x), 2 * x)
    assert steps_of("to_numpy.py") == {"np.square": "None", "tf.square": "6.0"}


@says(
    "The same product …",
    "It doesn't watch …",
    "However, if you freeze …",
    "A tape watches trainable …",
    "A constant has …",
)
@over(trainable=[True, False], graph=[False, True])
def test_not_watched(trainable, graph):
    v, c = tf.Variable(3.0, trainable=trainable), tf.constant(3.0)
    dense = keras.layers.Dense(1, trainable=trainable)
    dense.build([None, 1])

    def slopes():
        with tf.GradientTape(persistent=True) as tape:
            y, z = v * v, c * c
            frozen = dense(c[None, None])
            tape.watch([v, c])
            watched = v * v + c * c
        weight = dense.kernel.value
        return (
            tape.gradient(y, v),
            tape.gradient(z, c),
            tape.gradient(frozen, weight),
            tape.gradient(watched, [v, c]),
        )

    run = tf.function(slopes, autograph=False) if graph else slopes
    by_v, by_c, by_weight, after = run()
    assert (by_v is not None) == trainable and by_weight is not None
    assert dense.kernel.trainable == trainable and isinstance(v, tf.Variable)
    assert by_c is None and same(after, [6.0, 6.0])
    lines = steps_of("not_watched.py")
    assert lines == {"before tape.watch": "None", "after tape.watch": "6.0"}


@says(
    "Only one of …",
    "A common case …",
    "Only the operations …",
    "`copy` has the …",
    "Keep the first …",
    "A copy has …",
)
def test_outside_and_another():
    lines = steps_of("outside.py")
    assert sum(each != "None" for each in lines.values()) == 1
    assert lines["inside the block"] == "6.0"
    lines = steps_of("another.py")
    assert lines == {"copy": "None", "new x": "None", "x_before": "6.0"}
    w = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = w * 2.0
    loss = (y - 1.0) ** 2
    assert tape.gradient(loss, w) is None and tape.gradient(y, w) == 2


@says(
    "Integers, booleans and …",
    "TensorFlow prints this …",
    "Fix: use floats …",
    "The tape watches …",
    "An integer has …",
)
@over(
    case={
        "int": (3, lambda n: tf.cast(n, tf.float32)),
        "uint": (np.uint8(3), lambda n: tf.cast(n, tf.float32)),
        "bool": (True, lambda n: tf.cast(n, tf.float32)),
        "string": ("3", tf.strings.to_number),
    },
    graph=[False, True],
)
def test_integers(case, graph):
    value, to_float = case
    said = []
    logger = tf.get_logger()
    before = logger.level
    logger.setLevel(logging.WARNING)
    logger.addFilter(keep := lambda each: said.append(each.getMessage()))
    tf_logging._log_counter_per_token.clear()

    def slopes(n):
        with tf.GradientTape(persistent=True) as tape:
            x = to_float(n)
            tape.watch([n, x])
            y = x * x
        assert tape.gradient(y, n) is None
        return tape.gradient(y, x)

    try:
        for _ in range(8):
            run = tf.function(slopes, autograph=False) if graph else slopes
            assert same(run(tf.constant(value)), 2 * to_float(tf.constant(value)))
    finally:
        logger.removeFilter(keep)
        logger.setLevel(before)
    assert len([each for each in said if "must be floating" in each]) == 5


@says(
    "The true derivative is …",
    "Gradient descent couldn't …",
    "By convention, TensorFlow …",
    "Fix: use a smooth …",
    "Compare the gradient from …",
    "The last row of …",
    "If an integer …",
    "Each function here …",
)
@over(
    name=["tf.round", "cast to int", "as an index", "x > 1", "tf.sign"],
    mode=[EAGER, INSIDE, AROUND, SYMBOLIC],
)
def test_flat(name, mode):
    function = program("flat.py").functions[name]
    assert float(program("flat.py").x.numpy()) == 2.25
    slope = mode.gradient(function, 2.25)
    assert same(slope, 0.0) if function is tf.sign else slope is None
    near = np.arange(-0.95, 3, 0.1, dtype="float32")
    near = near[near >= 0] if name == "as an index" else near
    values = [float(function(tf.constant(x))) for x in near]
    assert sum(np.diff(values) != 0) < 5 and len({*values}) > 1
    # At a step the quotient grows as the distance shrinks.
    at = {"tf.round": 1.5, "tf.sign": 0.0}.get(name, 1.0)
    quotients = [
        float(function(tf.constant(at + h)) - function(tf.constant(at - h))) / h
        for h in (0.1, 0.01)
    ]
    assert quotients[1] > 5 * quotients[0] > 0
    last = program("flat.py").functions["x + stop(round(x) - x)"]
    assert same(mode.gradient(last, 2.25), 1.0) and same(last(2.25), 2.0)
    shown = [line.text.split()[-2:] for line in trace("flat.py")[1:]]
    assert [each[1] for each in shown] == ["0.0"] * 6
    assert [each[0] for each in shown] == ["None"] * 4 + ["0.0", "1.0"]


@says(
    "A variable stores …",
    "When you read …",
    "The program stores …",
    "Fix: compute with …",
    "assign stores a …",
)
@over(graph=[False, True], x=numbers(1, 9))
def test_assigned(graph, x):
    x, state = tf.Variable(x), tf.Variable(0.0)

    def slopes():
        with tf.GradientTape(persistent=True) as tape:
            kept = x * x
            state.assign(kept)
            lost = 2.0 * state
        return lost, *[tape.gradient(*e) for e in ((lost, x), (lost, state), (kept, x))]

    run = tf.function(slopes, autograph=False) if graph else slopes
    lost, by_x, by_state, right = run()
    assert same(lost, 2 * x * x, 1e-6) and by_x is None
    assert same(by_state, 2.0) and same(right, 2 * x)
    lines = steps_of("assigned.py")
    assert [*lines.values()] == ["None", "None", "6.0"]


@says(
    "TensorFlow connects the output …",
    "If you watch …",
    "In eager mode, a …",
    "The tape differentiates …",
    "In a graph, the result is `None`.",
    "The tape also …",
    "Fix: pass every …",
    "`captured` reads `k` …",
    "k is captured …",
)
@over(mode=MODES, x=numbers(1, 9))
def test_left_out(mode, x):
    called = []

    def captured(x, k):
        def grad(upstream):
            called.append(1)
            return upstream * k

        return tf.custom_gradient(lambda x: (x * k, grad))(x)

    def forgetful(x, k):
        return tf.custom_gradient(lambda x, k: (x * k, lambda u: (u * k, None)))(x, k)

    def without(k):
        return tf.custom_gradient(lambda k: (3.0 * k, lambda u: None))(k)

    by_x, by_k = mode.gradients(captured, x, 3.0)
    assert same(by_x, 3.0) and by_k is None
    inside = []

    def kept(x, k):
        def forward(x):
            inside.append(x * k)
            return inside[-1] * 1.0, lambda upstream: upstream * k

        tf.custom_gradient(forward)(x)
        return inside[-1]

    # The tape does record what runs inside. Only the output isn't connected to it.
    assert same(mode.gradients(kept, x, 3.0), [3.0, x])
    assert mode.gradients(forgetful, x, 3.0)[1] is None
    assert mode.gradient(without, 3.0) is None
    passed = program("left_out.py").passed
    assert same(mode.gradients(passed, x, 3.0), [3.0, x])
    called.clear()
    fixed = tf.constant(x)
    alone = mode.gradient(lambda k: captured(fixed, k), 3.0)
    assert same(alone, x if mode in EAGERS else None)
    assert bool(called) == (mode not in EAGERS)
    v = tf.Variable(3.0)

    @tf.custom_gradient
    def reads(x):
        def grad(upstream, variables):
            return upstream * v, [upstream * x]

        return x * v, grad

    with tf.GradientTape() as tape:
        y = reads(fixed)
    assert same(tape.gradient(y, v), x)
    assert steps_of("left_out.py")["captured, only k watched eager"] == "2.0"


@says(
    "Both `tf.stop_gradient` and `tape.stop_recording` …",
    "If you stop …",
    "Fix: remove `tf.stop_gradient`, …",
    "stop_gradient and stop_recording …",
)
@over(graph=[False, True])
def test_stopped(graph):
    x = tf.Variable(3.0)

    def slopes():
        with tf.GradientTape(persistent=True) as tape:
            lost = tf.stop_gradient(x * x)
            with tape.stop_recording():
                unrecorded = x * x
            kept = x * x
        return [tape.gradient(each, x) for each in (lost, unrecorded, kept)]

    run = tf.function(slopes, autograph=False) if graph else slopes
    ends = run()
    assert len([each for each in ends if each is None]) == 2 and same(ends[2], 6.0)
    assert [*steps_of("stopped.py").values()] == ["None", "None", "6.0"]


@says(
    "A tape that isn't persistent drops its record when you …",
    "If you make this call …",
    "The new record …",
    "The outer tape …",
    "Fix: for a …",
    "If you call `tape.gradient` …",
    "The first loop …",
    "The second loop …",
    "Compute a gradient inside …",
)
@over(graph=[False, True], persistent=[False, True], inside=[False, True])
def test_too_early(graph, persistent, inside):
    x = tf.Variable(2.0)

    def stopped():
        with tf.GradientTape(persistent=persistent) as tape:
            y = x * x
            with tape.stop_recording():
                slope = tape.gradient(y, x)
            loss = y * slope + 5 * x
        return tape.gradient(loss, x)

    def nested():
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = x * x * x
            first = inner.gradient(y, x) if inside else None
        first = first if inside else inner.gradient(y, x)
        return outer.gradient(first, x)

    def wrap(f):
        return tf.function(f, autograph=False) if graph else f

    assert same(wrap(stopped)(), 16 + 5 if persistent else 5)
    assert same(wrap(nested)(), 12.0 if inside else None)
    lines = [*steps_of("early.py").values()]
    assert lines[:2] == ["None", "16.0"] and lines[2:] == ["None", "12.0"]
    assert len(lines[:2]) == len(lines[2:]) == 2


@says(
    "`flat` has a …",
    "`unused` and `lost` …",
    "The true derivative of …",
    'Use `unconnected_gradients="zero"` only …',
    "Each line of …",
    "None and 0.0 …",
    "Fix: use the variable …",
)
@over(graph=[False, True])
def test_unconnected(graph):
    x, unused = tf.Variable(3.0), tf.Variable(2.0)

    def slopes(**options):
        with tf.GradientTape(persistent=True) as tape:
            lost, flat = 5.0 * tf.stop_gradient(x), 0.0 * x
        asked = (flat, unused), (lost, x), (flat, x)
        return [tape.gradient(*each, **options) for each in asked]

    run = tf.function(slopes, autograph=False) if graph else slopes
    none, lost, flat = run()
    assert none is None and lost is None and same(flat, 0.0)
    assert same(run(unconnected_gradients="zero"), [0.0, 0.0, 0.0])
    assert (5.0 * 4.0 - 5.0 * 2.0) / (4.0 - 2.0) == 5
    assert [len(line.text.split("zero")) for line in trace("unconnected.py")] == [2] * 3


pointer(
    "Your program … …",
    "calls `.numpy()`, `np.…`, …",
    "differentiates with respect …",
    "updates with `w = w - 0.1 * gradient` …",
    "computes something before …",
    "reassigns or copies …",
    "casts to an …",
    "rounds, compares, indexes …",
    "stores a value …",
    "has a custom …",
    "calls `tf.stop_gradient` or …",
    "computes a gradient …",
    "has a weight …",
    "The last line …",
    "Find what your …",
    "For a Keras …",
    "`model.predict` also returns …",
    "Look at the …",
    "For the output …",
    "For a weight …",
    "The next section …",
    "The catalogue has …",
    "This program computes …",
    "This program calls `tf.gradients` …",
    "This function uses …",
    "If the function must …",
    "Notice it earlier.",
    "Twelve causes come …",
    "The error messages that …",
    "The next program writes …",
    "In the fixed …",
    "This program calls NumPy's …",
    "Look up your …",
    "The next program checks …",
    "Cast float64 back …",
    "Compare the reports:",
    "Compare the two …",
    "Asked in tensorflow#42984.",
    "Asked in tensorflow#56968.",
    "Asked in tensorflow#47387.",
    "Asked in tensorflow#5888.",
    "Asked in tensorflow#8625, tensorflow#52260.",
    "More: a gradient …",
    "More: argmax, ranks …",
    "Asked in tensorflow#50111, …",
    "Asked in tensorflow#42542, …",
    "Asked in tensorflow#47469.",
    "Asked in StyleGAN2-Tensorflow-2.0#14, tensorflow#46487.",
    "More: one list …",
    "The fixed loss …",
    "Asked in tensorflow#33135, …",
    "Asked in Open3D-ML#568, tensorflow#37091.",
    "Asked in tensorflow#1095, tensorflow#43916.",
    "Asked in tensorflow#1095.",
    "Asked in tensorflow#43916.",
)
history("In older versions …")
advice("Compare the gradient with …")
