"""What the page on variables says in words."""

from tensorflow import keras

from truth.statements.tries import *

WRAPS = {"eager": lambda f: f, "tf.function": tf.function}


def asked(function, *arguments):
    """A function with a rule that answers with zeros, and what the rule is given."""
    given = []

    @tf.custom_gradient
    def decorated(*arguments):
        def grad(upstream, variables=None):
            given.append(variables)
            zeros = [tf.zeros_like(each) for each in arguments]
            if variables is None:
                return zeros
            return zeros, [tf.zeros_like(each) for each in variables]

        return function(*arguments), grad

    return decorated, given


# The order.


@says(
    "Otherwise match gradients …",
    "`v.ref()` is a …",
    "A name that …",
    "The key depends …",
    "You can't match …",
    "In the last program …",
)
@over(count=st.integers(2, 9), value=numbers())
def test_ref(count, value):
    variables = [tf.Variable(value, name="w") for _ in range(count)]
    places = {each.ref(): at for at, each in enumerate(variables)}
    assert [places[each.ref()] for each in variables] == [*range(count)]
    assert len({each.name for each in variables}) == 1
    last = program("solution.py").w
    assert len(last) == 4 and len({each.name for each in last}) == 1


@says(
    "Otherwise match gradients …",
    "Otherwise `grad` receives …",
    "TensorFlow expects the …",
    "Mathematically, a variable …",
    "If the function captures …",
    "The gradients of the arguments …",
    "The gradients of the captured …",
    "`grad` stores each …",
)
@over(mode=MODES, count=st.integers(2, 4), names=st.permutations("abcd"))
def test_the_order_is_that_of_the_list(mode, count, names):
    variables = [tf.Variable(2.0 + n, name=names[n]) for n in range(count)]
    given = []

    def run(x, *variables):
        @tf.custom_gradient
        def rule(x):
            def grad(upstream, variables):
                given.append([each.name for each in variables])
                return upstream, [upstream * 10.0 * each for each in variables]

            return x + tf.add_n([*variables]), grad

        return rule(x)

    to_x, *found = mode.gradients(run, 3.0, *variables)
    assert to_x == 1 and same(found, [10.0 * each for each in variables])
    assert given[0] == sorted(given[0]) or mode not in GRAPHS


@says(
    "The forward pass …",
    "A wrong order …",
    "But `grad` returns …",
    "Inside the `tf.function` …",
    "In eager mode, TensorFlow …",
    "In a graph, TensorFlow …",
    "This program fits …",
)
@over(mode=MODES, x=arrays(3, numbers(1, 9)))
def test_swapped_in_a_graph(mode, x):
    def run(x, slope, offset):
        @tf.custom_gradient
        def line(x):
            def grad(upstream, variables):
                return upstream * slope, [
                    tf.reduce_sum(upstream * x),
                    tf.reduce_sum(upstream),
                ]

            return slope * x + offset, grad

        return line(x)

    slope, offset = (tf.Variable(1.0, name=each) for each in ("slope", "offset"))
    _, *found = mode.gradients(run, x, slope, offset)
    right = [float(np.sum(x, dtype=np.float32)), 3.0]
    assert same(found, right[::-1], 1e-6) or (
        mode not in GRAPHS and same(found, right, 1e-6)
    )
    steps = [each.numbers for each in trace("wrong/swapped.py")]
    losses = {step: loss for step, loss, *_ in steps}
    assert (losses[0], losses[10], losses[400]) == (1.6667, 0.4549, 61.4625)


@says(
    "At step 0 …",
    "No shape is …",
    "As long as both …",
    "In the output, …",
    "The output shows …",
    "Later the signs …",
    "So the slope …",
)
def test_the_swapped_line():
    lines = [each.numbers for each in trace("wrong/swapped.py")]
    x = np.array([1.0, 2.0, 3.0])
    residual = 2 * x + 1 - 3 * x
    assert same(residual, 1 - x)
    to_slope, to_offset = 2 / 3 * sum(residual * x), 2 / 3 * sum(residual)
    assert same(lines[0][2:], [to_offset, to_slope], 1e-4)
    losses = [each[1] for each in lines]
    assert losses[0] > losses[1] > losses[2] < losses[3] < losses[4] < losses[5]
    assert [a * b > 0 for _, _, a, b in lines] == [True] * 3 + [False] * 3
    assert len(lines) == 6 and lines[2][0] == 10 and lines[5][0] == 400


@says(
    "The next program …",
    "The order of `variables` …",
    "The order stays …",
    "So the list …",
    "In a graph, names …",
    "Deliberately wrong: relying …",
)
def test_forty_variables():
    weights = [tf.Variable(float(n), name=f"w{n}") for n in range(40)]
    assert all(hash(each.ref()) == id(each) for each in weights)
    many = [tf.Variable(0.0) for _ in range(200)]
    in_set = [id(each.deref()) for each in {each.ref() for each in many}]
    assert in_set != sorted(in_set) and in_set != [id(each) for each in many]
    seen = []

    @tf.custom_gradient
    def total(x, shuffled):
        def grad(upstream, variables):
            seen.append([each.name for each in variables])
            return (upstream, None), [upstream] * len(variables)

        read = np.random.permutation(40)
        return x * tf.add_n([weights[each] for each in read]), grad

    for _ in range(20):
        assert EAGER.gradient(lambda x: total(x, 0.0), 1.0) is not None
    assert len({tuple(each) for each in seen}) == 1
    INSIDE.gradient(lambda x: total(x, 0.0), 1.0)
    assert seen[-1][:2] == ["w0:0", "w10:0"] and seen[-1] == sorted(seen[-1])
    assert seen[-1] != [each.name for each in weights]
    lines = trace("wrong/order.py")
    assert [each.text.endswith("True") for each in lines[:5]] == [
        False,
        False,
        True,
        False,
        True,
    ]
    assert [each.text.endswith("False") for each in lines[-2:]] == [True, True]


@says(
    "In eager mode, the list …",
    "A set orders …",
    was="'the hash of a variable': a variable is unhashable",
)
@over(count=st.integers(2, 5))
def test_a_set_of_objects(count):
    """A set of few objects has eight places, and each takes one by its address."""
    assert "unhashable" in message(hash, tf.Variable(0.0))
    objects = [tf.Variable(0.0).ref() for _ in range(count)]
    assert [hash(each) for each in objects] == [id(each.deref()) for each in objects]
    places = [hash(each) % 8 for each in {*objects}]
    assert len({*places}) < count or places == sorted(places)


# The snippets.


@says(
    "So the columns …",
    r"$\downstream{\bar b}$ has …",
    "In both modes …",
    "The last word …",
    "The gradients of $W$ …",
    "The printed rows …",
    "A dense layer whose …",
    "Two of the …",
    "All three inputs …",
    "The upstream gradient …",
    "The program doesn't …",
)
def test_the_dense_layer():
    lines = trace("variables.py")
    texts = [each.text for each in lines]
    assert [each.count("equal") for each in texts if "downstream" in each] == [1] * 6
    assert not any("DIFFERENT" in each for each in texts)
    assert sum("variables: 2" in each for each in texts) == 2
    x, upstream = np.array([[1, 2, 3], [4, 5, 6]]), np.array([[1, 0], [0, 10]])
    to_W = x.T @ upstream
    assert [*to_W[:, 0]] == [*x[0]] and [*to_W[:, 1]] == [*(10 * x[1])]
    shown = [each.numbers for each in lines if "downstream W" in each.text]
    assert shown == [to_W.ravel().tolist()] * 2 == [[1, 40, 2, 50, 3, 60]] * 2
    shown = [each.numbers for each in lines if "downstream b" in each.text]
    assert shown == [upstream.sum(0).tolist()] * 2 == [[1, 10]] * 2
    passed = [each.numbers for each in trace("passed.py")]
    assert passed == [[1, 40, 2, 50, 3, 60], [1, 10]]
    assert upstream.tolist() == program("variables.py").weights.numpy().tolist()


@says(
    "For a single …",
    "Instead, write …",
)
@over(mode=MODES, second=[True, False])
def test_one_variable(mode, second):
    def run(x, w, v):
        @tf.custom_gradient
        def rule(x):
            def grad(upstream, variables):
                assert len(variables) == 1 and variables[0] is w
                return upstream * w, [upstream * x]

            return (w * x + v if second else w * x), grad

        return rule(x)

    said = message(mode.gradients, run, 3.0, tf.Variable(2.0), tf.Variable(1.0))
    assert ("AssertionError" in said) == second == bool(said)


@says(
    "TensorFlow adds the …",
    "A gradient function returns …",
    "Several calls share …",
)
@over(mode=MODES, calls=st.integers(1, 3))
def test_several_calls(mode, calls):
    def run(x, w):
        @tf.custom_gradient
        def product(x):
            return w * x, lambda upstream, variables: (upstream * w, [upstream * x])

        return tf.add_n([product(n * x) for n in range(1, calls + 1)])

    _, to_w = mode.gradients(run, 3.0, tf.Variable(2.0))
    assert to_w == 3 * sum(range(1, calls + 1))


@says(
    "Up to rounding, …",
    "The program calls …",
)
def test_the_parts():
    lines = trace("shared.py")
    parts = lines.starting("backward")
    assert [each["x"] for each in parts] == [3, 9, 3]
    assert [each["upstream"] for each in parts] == [1, 10, 180]
    total = sum(each["downstream_w"] for each in parts)
    assert same(total, lines[3].numbers[-1], 1e-6) and same(
        total, lines[4].numbers[-1], 1e-6
    )


# A rule about x alone.


def about_x(model):
    @tf.custom_gradient
    def limited(x):
        def grad(upstream, variables):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = model(x)
            to_x, to_variables = tape.gradient(y, [x, variables], upstream)
            return tf.clip_by_norm(to_x, 0.1), to_variables

        return model(x), grad

    return limited


@says(
    "Calling `limited` in …",
    was="'it works for any model': not in a branch or a loop of a graph",
)
@over(mode=[each for each in BLOCKS if "branch" in str(each) or "loop" in str(each)])
def test_about_x_in_a_block(mode):
    w = tf.Variable([2.0, 3.0])
    limited = about_x(lambda x: tf.tanh(x) * w)
    assert raised(mode.gradient, limited, tf.ones(2))


@says(
    "Then let `grad` …",
    "Often you want …",
    "If you pass the list …",
    "`grad` names no …",
    "It doesn't work …",
    "A custom gradient for …",
    was=(
        "'the rule serves any model': with dropout its mask is another one",
        "'the second draws anew': not with a global seed and the tape around the graph",
    ),
)
@over(mode=MODES, drops=[True, False])
def test_about_x_alone(mode, drops):
    W = tf.Variable(np.random.normal(size=(9, 512)).astype("float32"))
    b = tf.Variable(tf.ones(512))
    tf.random.set_seed(None)

    def run(x, W, b):
        def model(x):
            y = tf.tanh(x @ W + b)
            return tf.nn.dropout(y, 0.5) if drops else y

        return about_x(model)(x)

    def squared(y):
        return y * y

    to_x, *found = mode.gradients(run, tf.ones([1, 9]), W, b, loss=squared)
    assert same(tf.norm(to_x), 0.1, 1e-4)
    if drops:  # Upstream is 0 where the first mask drops.
        assert np.mean(np.asarray(found[1]) != 0) < 0.4
    else:
        plain = mode.gradients(
            lambda x, W, b: tf.tanh(x @ W + b), tf.ones([1, 9]), W, b, loss=squared
        )
        assert same(found, plain[1:], 1e-4)


@says(
    "The gradient of …",
    "The second forward pass …",
    "`tf.recompute_grad` also …",
    "Limits a gradient …",
)
def test_the_list():
    lines = trace("list.py")
    assert lines[0].text.endswith("variables: 4")
    x, *others = [each.numbers[-2:] for each in lines[1:]]
    assert x[0] > x[1] == 0.1 and len(others) == 4
    assert all(plain == limited for plain, limited in others)
    listed = program("list.py")
    assert all(each.shape != (1, 2) for layer in listed.layers for each in layer)
    runs = []

    def model(x):
        runs.append(x)
        return tf.tanh(x)

    EAGER.gradient(tf.recompute_grad(model), 1.0)
    assert len(runs) == 2


# When it is demanded.


def reads(use, trainable=True):
    variable = tf.Variable(2.0, trainable=trainable)
    return lambda x: use(x, variable)


USES = {
    "none": (lambda x, w: 2 * x, None),
    "read": (lambda x, w: w * x, 1),
    "twice": (lambda x, w: w * x + w, 1),
    "for its shape": (lambda x, w: x * tf.cast(tf.size(w), tf.float32), 1),
    "stopped": (lambda x, w: x * tf.stop_gradient(w), 1),
    "in vain": (lambda x, w: (w.read_value(), 2 * x)[1], 1),
    "in a graph": (lambda x, w: tf.function(lambda x: w * x)(x), 1),
    "in a branch": (lambda x, w: tf.cond(x > 0, lambda: w * x, lambda: x), 1),
    "assigned": (lambda x, w: (w.assign(1.0), 2 * x)[1], 1),
}


@says(
    "Which uses of …",
    "The decorator, `tf.custom_gradient`, …",
    "If it counts …",
    "If the decorator …",
    "If `grad` doesn't accept …",
    "A variable counts …",
    "A gradient function with …",
    was="'which variables the forward pass reads': one that it only assigns demands it, too",
)
@over(mode=[each for each in MODES if each not in (XLA, AROUND_XLA)], use=USES)
def test_when_it_is_demanded(mode, use):
    use, count = use
    for trainable in (True, False):
        if not trainable and mode is SYMBOLIC:
            continue
        function = reads(use, trainable)
        decorated, given = asked(function)
        mode.gradient(decorated, 3.0)
        [variables] = given
        demanded = count if trainable else None
        assert (variables and len(variables)) == demanded
        if mode is not EAGER:
            continue
        without = tf.custom_gradient(lambda x: (function(x), lambda upstream: upstream))
        for call in (without, tf.function(without)):
            said = message(call, tf.constant(3.0))
            assert ("must accept keyword argument 'variables'" in said) == (
                demanded == 1
            )


@says(
    "Pass a variable …",
    "A variable that …",
    "It returns the gradients in …",
    "The safest method …",
    "Then `grad` returns …",
    "a variable that you …",
    "Two kinds of …",
    "If the variable is …",
    was="'It subtracts those that were passed': in a graph not if the function reads the variable itself",
)
@over(mode=MODES, x=numbers(1, 9))
def test_passed(mode, x):
    product = tf.custom_gradient(
        lambda x, w, v: (x * w * v, lambda up: (up * w * v, up * x * v, up * x * w))
    )
    variables = tf.Variable(2.0, name="z"), tf.Variable(3.0, name="a")
    for convert in (lambda w: w, tf.convert_to_tensor):

        def run(x, w, v, convert=convert):
            return product(x, convert(w), convert(v))

        assert same(mode.gradients(run, x, *variables), [6, 3 * x, 2 * x], 1e-6)
    decorated, given = asked(lambda x, argument: variables[0] * x + argument)
    mode.gradient(lambda x: decorated(x, variables[0]), x)
    assert (given[0] is None) == (mode not in GRAPHS)


@says(
    "To get a …",
    "A variable with …",
    "Its gradient is …",
    "The exception is …",
    was="'its gradient is None': eagerly 3.0 if no argument of the rule is watched",
)
@over(wrap=WRAPS, inner=WRAPS, watched=[True, False])
def test_not_trainable(wrap, inner, watched):
    frozen, called = tf.Variable(2.0, trainable=False), []

    @tf.custom_gradient
    def product(x):
        def grad(upstream):
            called.append(upstream)
            return upstream * frozen

        return x * frozen, grad

    passed = tf.custom_gradient(lambda x, w: (x * w, lambda up: (up * w, up * x)))

    @wrap
    def slopes(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, frozen] if watched else frozen)
            y, z = inner(product)(x), inner(lambda x: passed(x, frozen))(x)
        return tape.gradient(y, frozen), tape.gradient(z, frozen)

    found, of_argument = slopes(tf.constant(3.0))
    assert of_argument == 3 and same(found, None if called else 3.0)
    in_a_graph = wrap is tf.function or inner is tf.function
    assert bool(called) == (watched or in_a_graph)


@says(
    "If `variables` is `None`, …",
)
@over(mode=MODES)
def test_one_too_many(mode):
    pair = tf.custom_gradient(
        lambda x: (2 * x, lambda upstream, variables=None: (upstream, [upstream]))
    )
    said = message(mode.gradient, pair, 3.0)
    assert "ValueError" in said or "InternalError" in said


@says("The first two columns …", "The last two columns …")
def test_when():
    rows = {
        each.text[:24].strip(): each.text[24:].split() for each in trace("when.py")[1:]
    }
    assert rows["trainable=False"] == ["None", "None", "None", "None"]
    assert rows["the same, twice"] == ["1", "1", "6.0", "None"]
    assert rows["two, one of them passed"] == ["1", "1", "15.0", "10.0"]
    counts, gradients = rows["a trainable one"][:2], rows["a trainable one"][2:]
    assert len(counts) == len(gradients) == 2 and counts == ["1", "1"]
    assert rows["no variable"] == ["None"] * 4


# Keras.


class Scale(keras.layers.Layer):
    """A layer with a rule, and what it saw."""

    def __init__(self, way=tf.convert_to_tensor, **options):
        super().__init__(**options)
        self.way, self.seen = way, []
        self.w = self.add_weight(shape=(), initializer="ones")

    def call(self, x):
        @tf.custom_gradient
        def scaled(x, w):
            def grad(upstream):
                self.seen.append((x.dtype, w.dtype, upstream.dtype))
                return upstream * w, tf.reduce_sum(upstream * x)

            return x * w, grad

        return scaled(x, self.way(self.w))


@says(
    "Convert a Keras …",
    "A Keras weight is …",
    "There is no order …",
    "So pass `tf.convert_to_tensor(self.w)`.",
    "A Keras layer …",
    "Because the caller …",
    "Inside the layer's …",
    "With `mixed_float16`, the …",
    "The call of …",
    "In the backward pass, …",
)
@over(
    wrap=WRAPS,
    inner=WRAPS,
    dtype={
        "float32": tf.float32,
        "mixed_float16": tf.float16,
        "mixed_bfloat16": tf.bfloat16,
    },
    policy=["same"],
)
def test_keras_weights(wrap, inner, dtype, policy):
    name = {tf.float32: "float32", tf.float16: "mixed_float16"}.get(
        dtype, "mixed_bfloat16"
    )
    layer = Scale(dtype=name)
    assert not isinstance(layer.w, tf.Variable) and isinstance(
        layer.w.value, tf.Variable
    )
    assert tf.convert_to_tensor(layer.w).dtype == tf.float32

    @wrap
    def slope(x):
        with tf.GradientTape() as tape:
            y = inner(lambda x: layer(x))(x)
        return tape.gradient(y, layer.w.value)

    found = slope(tf.constant([3.0, 4.0]))
    assert found == 7 and found.dtype == tf.float32
    assert layer.seen == [(dtype, dtype, dtype)]


@says(
    "Both policies give …",
)
def test_the_same_step():
    one, two = [
        each.text for each in trace("in_keras.py") if "weight after fit" in each.text
    ]
    assert one.partition("gradient")[2] == two.partition("gradient")[2]
    assert one.startswith("float32") and two.startswith("mixed_float16")


@says(
    "Convert a Keras …",
    "If you pass the weight itself, …",
)
@over(
    way={
        "as it is": lambda w: w,
        "keras.ops": keras.ops.convert_to_tensor,
        "tf": tf.convert_to_tensor,
    },
    wrap=WRAPS,
    inner=WRAPS,
)
def test_keras_weights_as_they_are(way, wrap, inner):
    layer = Scale(way)

    @wrap
    def slope(x):
        with tf.GradientTape() as tape:
            y = inner(lambda x: layer(x))(x)
        return tape.gradient(y, layer.w.value)

    said = message(slope, tf.constant([3.0, 4.0]))
    eager = wrap is not tf.function and inner is not tf.function
    if eager and way is not tf.convert_to_tensor:
        assert "since function uses variables: [<tf.Variable" in said
    else:
        assert slope(tf.constant([3.0, 4.0])) == 7


# The check.


@says(
    "This program moves …",
    "You can check the gradients …",
    "The program compares …",
    "All four errors …",
    "The gradients of the variables …",
)
def test_the_check():
    assert all(each.text.endswith("True") for each in trace("check.py"))
    assert [each.text[:7].strip() for each in trace("check.py")] == [
        "eager W",
        "eager b",
        "graph W",
        "graph b",
    ]
    check, moved = program("check.py"), []
    loss = check.loss
    start = check.W.numpy()

    def watched():
        moved.append(check.W.numpy() - start)
        return loss()

    check.differences.__globals__["loss"] = watched
    check.differences(check.W)
    assert [np.count_nonzero(each) for each in moved] == [
        1
    ] * 2 * check.W.shape.num_elements()
    assert same(check.W, start) and check.W.dtype == check.b.dtype == tf.float64


@says(
    "If two variables …",
    "If the shapes …",
    was="'of equal shape': with another dtype a swap is noticed by assign_sub",
)
@over(
    mode=MODES,
    other={
        "equal": ((2,), tf.float32, False),
        "shape": ((1, 3), tf.float32, True),
        "dtype": ((2,), tf.float64, True),
    },
)
def test_swaps(mode, other):
    shape, dtype, noticed = other
    variables = tf.Variable(tf.ones(2)), tf.Variable(tf.ones(shape, dtype))

    def run(x, v, w):
        @tf.custom_gradient
        def rule(x):
            def grad(upstream, variables):
                swapped = {v.ref(): tf.ones_like(w), w.ref(): tf.ones_like(v)}
                return upstream, [swapped[each.ref()] for each in variables]

            of_w = tf.cast(tf.reduce_sum(w), tf.float32)
            return x * tf.reduce_sum(v) * of_w, grad

        return rule(x)

    def step():
        _, *slopes = mode.gradients(run, 1.0, *variables)
        for variable, slope in zip(variables, slopes):
            variable.assign_sub(slope)

    assert (raised(step) is not None) == noticed


# What is returned.

RETURNED = {
    "gx": (
        lambda gx, gw: gx,
        "Cannot iterate over a scalar tensor.",
        "Iterating over a symbolic `tf.Tensor` is not allowed",
    ),
    "gx, gw": (
        lambda gx, gw: (gx, gw),
        "Scalar tensor has no `len()`",
        "len is not well defined for a symbolic Tensor",
    ),
    "gx, (gw,)": (
        lambda gx, gw: (gx, (gw,)),
        *['can only concatenate list (not "tuple") to list'] * 2,
    ),
    "gx, []": (
        lambda gx, gw: (gx, []),
        *["Must return gradient for each variable from @custom_gradient grad_fn."] * 2,
    ),
    "gx, [gw, gw]": (
        lambda gx, gw: (gx, [gw, gw]),
        *["Must return gradient for each variable from @custom_gradient grad_fn."] * 2,
    ),
    "[gw], gx": (
        lambda gx, gw: ([gw], gx),
        "Scalar tensor has no `len()`",
        "len is not well defined for a symbolic Tensor",
    ),
    "gx, dict": (
        lambda gx, gw: (gx, {"w": gw}),
        *['can only concatenate list (not "dict") to list'] * 2,
    ),
    "gx, None": (
        lambda gx, gw: (gx, None),
        *["object of type 'NoneType' has no len()"] * 2,
    ),
    "None": (lambda gx, gw: None, *["cannot unpack non-iterable NoneType object"] * 2),
    "three": (
        lambda gx, gw: (gx, [gw], gw),
        *["too many values to unpack (expected 2)"] * 2,
    ),
}


def returning(returned):
    def run(x, w):
        @tf.custom_gradient
        def product(x):
            def grad(upstream, variables=None):
                return returned(upstream * w, upstream * x)

            return w * x, grad

        return product(x)

    return run


@says(
    "If `grad` receives `variables`, return …",
    "`grad` must return …",
    "For nearly everything …",
    was="'Everything else is refused': gx, [[gw]] is accepted eagerly",
)
@over(mode=MODES, returned=RETURNED)
def test_refused(mode, returned):
    returned, eager, graph = returned
    said = message(mode.gradients, returning(returned), 3.0, tf.Variable(2.0))
    assert (graph if mode in GRAPHS else eager) in said


@says(
    "If `grad` receives `variables`, return …",
    "`None` in the …",
    "`no_gradient` accepts the …",
    "It means that …",
    was="'the variable isn't trained': it also gets the gradient of another path",
)
@over(mode=MODES)
def test_accepted(mode):
    w = tf.Variable(2.0)
    assert same(
        mode.gradients(returning(lambda gx, gw: (gx, [None])), 3.0, w), [2, None]
    )
    assert same(mode.gradients(returning(lambda gx, gw: (gx, [gw])), 3.0, w), [2, 3])
    alone = returning(lambda gx, gw: (gx, [None]))
    assert same(mode.gradients(lambda x, w: alone(x, w) + 5 * w, 3.0, w), [2, 5])


def test_a_nested_list_is_accepted_eagerly():
    nested = returning(lambda gx, gw: (gx, [[gw]]))
    assert same(EAGER.gradients(nested, 3.0, tf.Variable(2.0)), [2, 3])


# The error is silenced.


@says(
    "`by_closure` converts the …",
    "A tensor that …",
    "Two quick ways …",
    "Worse, in eager …",
    "Without a watched …",
    "If $x$ comes …",
    was="'Behind another layer x is always watched': not behind a frozen one",
)
@over(wrap=WRAPS, behind=["nothing", "trained", "frozen"])
def test_closed_over(wrap, behind):
    w, v = tf.Variable(2.0), tf.Variable(3.0, trainable=behind == "trained")

    def closing(x):
        tensor = tf.convert_to_tensor(w)
        return tf.custom_gradient(lambda x: (tensor * x, lambda up: up * tensor))(x)

    passing = tf.custom_gradient(lambda x, w: (w * x, lambda up: (up * w, up * x)))

    @wrap
    def slopes():
        with tf.GradientTape(True) as tape:
            x = tf.constant(3.0) if behind == "nothing" else v * 1.0
            closed, passed = closing(x), passing(x, tf.convert_to_tensor(w))
        return tape.gradient(closed, w), tape.gradient(passed, w)

    found, right = slopes()
    works = wrap is not tf.function and behind != "trained"
    assert right == 3 and same(found, 3.0 if works else None)


# The solution.


def scaling(w, given):
    """A product with a variable; which variables its gradient function gets."""

    @tf.custom_gradient
    def scale(x):
        def grad(upstream, variables=None):
            given.append(variables)
            if variables is None:
                return upstream * w
            return upstream * w, [upstream * x]

        return w * x, grad

    return scale


@says(
    "The gradient is 8.",
    "Each call returns …",
)
@over(wrap=[lambda f: f, tf.function])
def test_two_calls(wrap):
    w, given = tf.Variable(2.0), []
    scale = scaling(w, given)

    @wrap
    def slope():
        with tf.GradientTape() as tape:
            y = scale(tf.constant(3.0)) + scale(tf.constant(5.0))
        return tape.gradient(y, w)

    assert slope() == 3 + 5 == 8 and len(given) == 2


@says(
    "TensorFlow doesn't pass …",
    "The decorator counts only …",
)
@over(wrap=[lambda f: f, tf.function])
def test_frozen(wrap):
    w, given = tf.Variable(2.0, trainable=False), []
    scale = scaling(w, given)

    @wrap
    def slopes(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = scale(x)
        to_x, to_w = tape.gradient(y, [x, w])
        assert to_w is None
        return to_x

    assert slopes(tf.constant(3.0)) == 2 and given == [None]


@says(
    "The gradients are …",
    "A polynomial of …",
    "The input is …",
    "Both modes return …",
)
@over(wrap=WRAPS, length=st.integers(0, 5))
def test_the_solution(wrap, length):
    solution = program("solution.py")
    x = tf.range(1.0, length + 1.0)
    to_x, *to_w = wrap(lambda x: solution.gradients(solution.polynomial, x))(x)
    assert same(to_w, [np.sum(x.numpy() ** k) for k in range(4)])
    assert same(to_x, -4 * x + 3 * x * x)
    for line in trace("solution.py"):
        assert line.numbers[-4:] == [sum(n**k for n in (1, 2, 3)) for k in range(4)]


@says("a variable that the …", "Two kinds of …")
@over(mode=[EAGER, INSIDE, AROUND])
def test_an_assignment_that_reads_nothing(mode):
    v = tf.Variable(1.0)

    @tf.custom_gradient
    def f(x):
        v.assign(2.0, read_value=False)
        return x * 1.0, lambda upstream: upstream * 2.0

    assert same(mode.gradient(f, 3.0), 2.0)


definition(
    "A dense layer has …",
    "$k$ counts the …",
    "The number of …",
    "It makes no …",
    "Then collect the …",
    "Look at the order …",
    "For example, take …",
    "Let `w` be …",
    "What is the …",
    "Now `w` is …",
    "Does TensorFlow pass …",
    "Write the gradient …",
    "Each coefficient is …",
    "Why don't names help?",
)
advice(
    "Differentiate with respect …",
    "You need the …",
    "Don't add up …",
    "Prefer this method.",
    "Predict the four …",
    "Look at the loss:",
    "Look up each …",
    "Compare the sum …",
    "Compare the norms …",
    "Each line of …",
    "Use `variables=` if …",
    "Compare the gradients and the weights:",
    "Check a custom …",
    "So include two …",
    "Fix: use a dictionary …",
    "Fix: pass the variable as an argument, as …",
    "Look for `None`:",
)
pointer(
    "After this page …",
    "The catalogue of mistakes has an …",
    "The catalogue explains …",
    "The only example …",
    "Predict: two calls.",
    "Predict: frozen.",
    "Derive: a polynomial.",
    "Make two quick …",
    "The line that …",
    "Deliberately wrong: removing …",
    "Deliberately wrong: gradients …",
    "A dense layer that …",
)
