"""What the page on the tape says in words."""

import ast
import collections

from tensorflow.python.eager import record

from truth.statements.tries import *

EAGERS = [EAGER, PERSISTENT]
UNCOMPILED = [each for each in MODES if each not in (XLA, AROUND_XLA)]
ORDINARY = numbers(-9, 9).map(lambda x: x if abs(x) > 1e-3 else 0.0)
WRAPS = {"eager": lambda f: f, "tf.function": tf.function}


def constant(name, of):
    """The value of a literal that a program assigns."""
    for node in ast.parse(source(name)).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == of:
            return ast.literal_eval(node.value)
    raise KeyError(of)


def taped(function, *inputs, persistent=True, **options):
    with tf.GradientTape(persistent, **options) as tape:
        tape.watch(inputs)
        value = function(*inputs)
    return tape, value


def square(x, ran):
    """x², whose rule says that its Python ran."""

    @tf.custom_gradient
    def square(x):
        def grad(upstream):
            ran.append(upstream)
            return tf.convert_to_tensor(upstream) * 2 * x

        return x * x, grad

    return square(x)


# What leaves the tape.

LEAVES = {
    "stop_gradient": lambda x: 3 * tf.stop_gradient(x),
    "numpy": lambda x: tf.constant(3 * x.numpy()),
    "Variable": lambda x: 3 * tf.Variable(x),
}


@says(
    "From `None` alone, …",
    "The function is constant …",
    "The gradient through …",
    "Through `tf.sign` it …",
    "In both cases, …",
    was=(
        "'will not train': Adam moves on with the momentum that it has",
        "'can't tell a derivative of zero from a step that it didn't record': tf.sign"
        " gives 0, an unrecorded step None",
    ),
)
@over(
    mode=MODES,
    jumps={
        "cast": lambda x: tf.cast(tf.cast(x, tf.int32), tf.float32),
        "index": lambda x: tf.gather([0.0, 1, 2, 3], tf.cast(x, tf.int32)),
        "greater": lambda x: tf.cast(x > 1.0, tf.float32),
        "round": tf.round,
        "sign": lambda x: tf.sign(x - 1.0),
    },
)
def test_jumps(mode, jumps):
    slope = mode.gradient(jumps, 2.25)
    assert slope == 0 if jumps(1.0) == 0 != jumps(0.5) else slope is None
    assert mode.gradient(LEAVES["stop_gradient"], 2.25) is None
    assert mode.gradient(tf.sign, 2.25) == 0  # recorded: its zero isn't a None
    near = np.arange(0.05, 3, 0.1)
    values = [float(jumps(tf.constant(x, tf.float32))) for x in near]
    steps = {*np.diff(values)}
    assert 0 in steps and len(steps) == 2 and np.diff(values).tolist().count(0) > 24


@says(
    "If a value …",
    "When the path …",
    "This happens with `.numpy()` …",
    '`unconnected_gradients="zero"` isn\'t a fix.',
    "For example, `3.0 * tf.stop_gradient(x)` …",
    "The derivative exists, …",
    was="'Each line': the tape follows 3 x and tf.sign",
)
@over(mode=EAGERS, x=st.floats(1.1, 1.4))
def test_values(mode, x):
    state = tf.Variable(0.0)
    lost = {
        **LEAVES,
        "np.square": lambda x: tf.constant(np.square(x)),
        "numpy_function": lambda x: tf.numpy_function(np.square, [x], tf.float32),
        "assign": lambda x: (state.assign(3 * x), state * 1.0)[1],
    }
    x = tf.constant(x)
    for name, way in lost.items():
        assert mode.gradient(way, x) is None, name
        tape, y = taped(way, x)
        assert tape.gradient(y, x, unconnected_gradients="zero") == 0
        slope = (way(x + 0.125) - way(x - 0.125)) / 0.25
        assert same(slope, 2 * x if "np" in name or "numpy_" in name else 3, 1e-4)
    tape, y = taped(LEAVES["stop_gradient"], x)
    zero = tape.gradient(y, x, unconnected_gradients="zero")
    slope = (LEAVES["stop_gradient"](x + 1) - LEAVES["stop_gradient"](x)) / 1
    assert zero == 0 and same(slope, 3, 1e-5)


# The list, and the walk.


@says(
    "While its block …",
    "It doesn't compute …",
    "`tape.gradient` then goes …",
    was=(
        "'Nothing is differentiated yet': around a tf.function its rules are traced"
        " while the block runs",
        "'each step on the way': not one behind an integer or a None",
    ),
)
@over(wrap=WRAPS)
def test_when_rules_run(wrap):
    runs = tf.Variable(0, trainable=False)

    @tf.custom_gradient
    def f(x):
        def grad(upstream):
            with tf.control_dependencies([runs.assign_add(1)]):
                return tf.identity(upstream)

        return 2 * x, grad

    graph, x = wrap(f), tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = graph(graph(x))
        after = graph(y)
        beside = tf.cast(tf.cast(y, tf.int32), tf.float32) + x
        graph(x)
        assert runs == 0
    tape.gradient(y, x)
    assert runs == 2
    tape.gradient(after, x)
    assert runs == 2 + 3
    tape.gradient(beside, x)
    assert runs == 5
    after = graph(y)
    assert tape.gradient(after, x) is None and runs == 5


def test_traced_in_the_block():
    ran = []
    with tf.GradientTape() as tape:
        x = tf.constant(2.0)
        tape.watch(x)
        tf.function(lambda x: square(x, ran))(x)
        assert len(ran) == 1


@says(
    "If the target was computed from `x` …",
    "A tape also …",
    "A tape identifies …",
    "Two tensors that …",
    "For each result, …",
    "A tape sees …",
    was="'A copy with the same number': copy.copy(x), tf.constant(x), tf.cast(x, x.dtype) are x",
)
@over(wrap=WRAPS, dtype=FLOATS, x=numbers(-9, 9))
def test_tensors_not_numbers(wrap, dtype, x):
    def slopes(x):
        before = x * x
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            copy, same_tensor = tf.identity(x), tf.cast(x, dtype)
            y = x * x
            used = x
            x = x + 1
        after = y * y
        asked = (y, used), (y, same_tensor), (y, copy), (y, x), (before, used)
        found = [tape.gradient(*each) for each in (*asked, (after, used))]
        assert [each is None for each in found] == [False, False, *[True] * 4]
        return found[0]

    x = tf.cast(x, dtype)
    assert same(wrap(slopes)(x), 2 * x)


@st.composite
def programs(draw):
    """Steps: the values that each multiplies, of those before it."""
    length = draw(st.integers(2, 5))
    return [
        (draw(st.integers(0, at)), draw(st.integers(max(0, at - 1), at)))
        for at in range(length)
    ]


def walked(mode, steps):
    """Which steps are called in which order, their upstream and their parts."""
    calls, parts = [], collections.defaultdict(list)

    def multiply(at, one, other, a, b):
        @tf.custom_gradient
        def product(a, b):
            def grad(upstream):
                calls.append((at, upstream))
                parts[one].append(upstream * b)
                parts[other].append(upstream * a)
                return upstream * b, upstream * a

            return a * b, grad

        return product(a, b)

    def run(x):
        values = [x]
        for at, (one, other) in enumerate(steps, 1):
            values.append(multiply(at, one, other, values[one], values[other]))
        return values[-1]

    slope = mode.gradient(run, tf.constant(1.5))
    return calls, parts, slope


def leading(steps):
    """The values on the way to the last, and the steps that use each."""
    users = collections.defaultdict(set)
    stack, seen = [len(steps)], set()
    while stack:
        at = stack.pop()
        seen.add(at)
        for value in steps[at - 1] if at else ():
            users[value].add(at)
            stack += [value] if value not in seen else []
    return seen, users


@says(
    "Your gradient function …",
    "The tape then …",
    "Once it has …",
    "The tape calls the gradient function of a step …",
    "So the tape …",
    "That is why the order …",
    was="'after all steps that used its output': steps that do not lead to the target are not called",
)
@over(mode=MODES, steps=programs())
def test_the_order_of_the_rules(mode, steps):
    calls, _, slope = walked(mode, steps)
    order = [at for at, _ in calls]
    values, users = leading(steps)
    assert sorted(order) == sorted(values - {0})
    for at in order:
        assert all(order.index(user) < order.index(at) for user in users[at])
    plain = [1.5]
    power = [1]
    for one, other in steps:
        plain.append(plain[one] * plain[other])
        power.append(power[one] + power[other])
    assert same(slope, power[-1] * plain[-1] / 1.5, 1e-5)


@says(
    "The upstream gradient of an …",
    "If a tensor …",
    "The tape then …",
    "Each step has one …",
    "The factor in …",
    "No gradient function …",
    "The gradient function of $v = 3 u$ …",
    "That is why a …",
    "For example, if `grad` …",
    was="'everything that used this output': what does not lead to the target adds nothing",
)
@over(mode=EAGERS, steps=programs(), cases=40)
def test_upstream_is_the_sum(mode, steps):
    calls, parts, _ = walked(mode, steps)
    for at, upstream in calls:
        expected = sum(parts[at]) if at < len(steps) else tf.constant(1.0)
        assert same(upstream, expected, 1e-5)
    clip = tf.custom_gradient(lambda x: (x, lambda up: tf.clip_by_value(up, -1, 1)))

    def uses(x):
        u = clip(tf.identity(x))
        return 0.75 * u + 3.0 * u

    assert mode.gradient(uses, 2.0) == 1 != 0.75 + 1


GATHERS = {
    "gather": lambda u: tf.gather(u, [0, 0, 0]),
    "gather_nd": lambda u: tf.gather_nd(u, [[0], [0], [0]]),
    "embedding_lookup": lambda u: tf.nn.embedding_lookup(u, [0, 0, 0]),
    "two": lambda u: tf.concat([tf.gather(u, [0]), tf.gather(u, [0, 0])], 0),
}


@says(
    "A `tf.while_loop` in …",
    "If it gathers …",
    was=(
        "'if all uses gather rows': in a loop of a graph it is a tensor",
        "'in a loop': not if the loop computes the output, too",
    ),
)
@over(
    mode=[EAGER, INSIDE, AROUND, XLA, SYMBOLIC],
    mapped=[True, False],
    outside=[True, False],
)
def test_gathered_in_a_loop(mode, mapped, outside):
    given = {name: [] for name in GATHERS}

    def noted(name):
        return tf.custom_gradient(
            lambda x: (
                x * 1.0,
                lambda u: (given[name].append(u), tf.convert_to_tensor(u))[1],
            )
        )

    def run(*xs):
        seen = [noted(name) for name in GATHERS]
        ys = [f(x) for f, x in zip(seen, xs)]

        def rows():
            inputs = ys if outside else [f(x) for f, x in zip(seen, xs)]
            return tf.stack(
                [tf.reduce_sum(uses(y)) for uses, y in zip(GATHERS.values(), inputs)]
            )

        if mapped:
            return tf.map_fn(lambda _: rows(), tf.zeros(2))
        more = lambda i, total: (i + 1, total + rows())  # noqa: E731
        return tf.while_loop(lambda i, _: i < 2, more, (0, tf.zeros(len(xs))))[1]

    found = mode.gradients(run, *[tf.ones(3)] * len(GATHERS))
    assert same(found, [[6.0, 0.0, 0.0]] * len(GATHERS))
    dense = outside and mode is not EAGER
    for each in given.values():
        assert each and all(isinstance(u, tf.Tensor) == dense for u in each)


@says(
    "If every use …",
    "`square` multiplies the …",
    "`clip_rows` clips each …",
    "There is one …",
    "`upstream` isn't always …",
    "This happens with `tf.gather` along …",
    "In this program, …",
    "For row 0 …",
    "In `clip_sum`, `grad` …",
    "If `upstream` is …",
    was=(
        "upstream was said to be the sum in the shape of the output, whatever uses it",
        "'only one kind of sum': a gradient function also sums over a broadcast axis",
    ),
)
@over(
    mode=MODES,
    uses=st.sampled_from([*GATHERS]),
    shape=st.sampled_from([(3,), (3, 2)]),
    cases=24,
)
def test_gathered_rows_are_not_added(mode, uses, shape):
    uses, rows, dense = GATHERS[uses], [], []
    clip = tf.custom_gradient(lambda x: (x * 1.0, lambda u: tf.clip_by_value(u, -1, 1)))
    multiply = program("wrong/rows.py").square

    def run(gathered, also_added, clipped):
        of_rows = uses(square(gathered, rows)) + uses(clip(clipped))
        used_twice = square(also_added, dense)
        return tf.reduce_sum(of_rows + uses(used_twice)) + tf.reduce_sum(used_twice)

    x = tf.ones(shape)
    found = mode.gradients(run, x, x + 0, x + 0)
    added, _, clipped = map(tf.convert_to_tensor, found)
    assert same(added[0], 2 * 3 * x[0]) and same(clipped[0], 3 * x[0])
    assert isinstance(rows[0], tf.IndexedSlices) and rows[0].indices.shape == (3,)
    assert tf.is_tensor(dense[0]) and tf.convert_to_tensor(dense[0]) is dense[0]
    assert "TypeError" in message(mode.gradient, lambda x: uses(multiply(x)), x)
    add = tf.custom_gradient(lambda x, b: (x + b, lambda up: (up, up)))
    by_b = EAGER.gradients(add, tf.ones([2, *shape]), x)[1]
    assert by_b.shape == [2, *shape]  # the sum over a broadcast axis is missing, too
    assert trace("wrong/rows.py").line("gradient [3").numbers == [3, 1]
    assert "function(x), [0, 0, 0, 1])" in source("wrong/rows.py")


@says(
    "The tape is …",
    "The program calls …",
    "The second call …",
    "It calls the …",
    "The tape calls the gradient function of every …",
)
@over(wrap=WRAPS)
def test_the_tape_walks_everything(wrap):
    ran = []

    def slopes(x):
        tape, (u, loss) = taped(lambda x: (u := square(x, ran), 3 * u * u), x)
        return tape.gradient(loss, u), tape.gradient(loss, u)

    u_bar, again = wrap(slopes)(tf.constant(2.0))
    assert u_bar == again == 24 and len(ran) == 2
    backward = [line.text for line in trace("tape.py").starting("backward")]
    assert backward[:3] == backward[3:] and "x = 2" in backward[5]


@says(
    "At $x = 2$ …",
    "The gradient function of `triple` …",
    "The gradient function of the square …",
    "In each backward …",
    "The gradients of …",
    "The program squares …",
    "A value is …",
    "For example, with $v = 3 u$ …",
    "In this derivation, …",
    "So $v$ receives …",
    r"It returns $144 \cdot 2 \cdot 2 = 576$.",
    "The last line shows …",
    "The program never …",
    "They are on …",
    "The gradient of a …",
)
def test_the_tape():
    lines = trace("tape.py")
    u, v, w = (lines.line("u = ")[name] for name in "uvw")
    assert (u, v, w) == (4, 3 * 4, 4**2)
    triple, at_4, at_2 = lines.starting("backward")[:3]
    assert triple.text.startswith("backward triple") and triple["upstream"] == w == 16
    assert (at_4["x"], at_4["upstream"], at_4["downstream"]) == (4, v, v * 2 * 4)
    assert triple["downstream"] == 48 and at_4["downstream"] == 96 and v == 12
    assert (at_2["x"], at_2["upstream"], at_2["downstream"]) == (2, 48 + 96, 576)
    end = [line.text.startswith("dL/dx") for line in lines].index(True)
    for one_pass in (lines[:end], lines[end:]):
        called = [each for each in one_pass if "square  x = 2" in each.text]
        assert len(called) == 1 and called[0]["upstream"] == 48 + 96 == 144
    assert lines[-1].numbers == [at_2["upstream"], triple["upstream"], at_4["upstream"]]
    assert source("tape.py").count("tape.watch(") == 1


@says(
    "Boxes from left …",
    "Arrows to the …",
    "Under each box …",
    "The tape also computes …",
    "This number is …",
)
def test_the_figure():
    place = constant("figure.py", "PLACE")
    across = {name: x for name, (x, _) in place.items()}
    assert across["x"] < across["u"] < across["v"] == across["w"] < across["L"]
    assert place["v"][1] > place["u"][1] == place["L"][1] > place["w"][1]
    lines, arrives = trace("figure.py"), collections.Counter(L=1.0)
    for line in lines:
        [start] = [name for name in "xuvw" if f"downstream to {name} " in line.text]
        arrives[start] += line.numbers[-1]
        [value] = [line[key] for key in line if key == f"forward {start}"]
        assert value == {"x": 2, "u": 4, "v": 12, "w": 16}[start]
    assert arrives == {"L": 1, "v": 16, "w": 12, "u": 144, "x": 576}
    assert sorted(each.numbers[-1] for each in lines if "to u" in each.text) == [48, 96]
    for line in lines:
        [end] = [name for name in "uvwL" if f" {name} = " in line.text[:12]]
        assert line.numbers[-2] == arrives[end]
    tape, y = taped(lambda x: x * x, tf.constant(3.0))
    assert tape.gradient(y, y, tf.constant(7.0)) == 7


# What is recorded.


def on_the_tape(function, x):
    """Whether a tape that watches x goes on behind a function of it."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        return record.should_record_backprop([function(x)])


@says(
    "The tape records an operation if one of its inputs is watched or …",
    "The tape records an operation if one of its inputs is watched, …",
    "Integer and boolean …",
    was="an operation with a watched input was said to be recorded: tf.stop_gradient is not",
)
@over(
    function={
        "round": tf.round,
        "sign": tf.sign,
        "zeros_like": tf.zeros_like,
        "twice": lambda x: tf.round(tf.round(x)),
        "one of two": lambda x: tf.add(tf.constant(1, x.dtype), x),
    },
    dtype=[*FLOATS, tf.int32, tf.int64],
)
def test_recorded(function, dtype):
    x = tf.cast(2, dtype)
    assert on_the_tape(function, x) == dtype.is_floating
    assert not on_the_tape(lambda x: function(tf.constant(2, x.dtype)), x)
    assert not on_the_tape(lambda x: function(tf.stop_gradient(x)), x)
    no = tf.constant(True)
    assert not on_the_tape(lambda no: tf.cast(tf.logical_not(no), tf.float32), no)


@says(
    "`tf.GradientTape` has no …",
)
def test_no_function_shows_the_list():
    names = {each for each in dir(tf.GradientTape) if not each.startswith("_")}
    asked = {"gradient", "jacobian", "batch_jacobian"}
    told = {"watch", "reset", "stop_recording"}
    assert names == asked | told | {"watched_variables"}
    tape, _ = taped(lambda x: x * x * x, tf.constant(2.0))
    assert tape.watched_variables() == ()


@says(
    "But inside TensorFlow, …",
    "This program puts …",
    "The output shows each …",
    "The addition of …",
    "`early` was computed …",
    "So the steps …",
    "`state.assign` has no …",
    "`five` and the …",
    "Which operations a …",
    "After each operation …",
    "Three additions and …",
    "The output shows the …",
    "The second `Sub` …",
    "`index` is an …",
    "The cast back …",
    "The tape did …",
    "The backward pass arrives …",
    "`Mul` computes the …",
    "The `Sub` of …",
    "The tape returns …",
    "The terms of …",
)
def test_the_record():
    lines = trace("record.py")[1:-1]
    names = [line.text.split()[0] for line in lines]
    assert names == ["Sub", "AddV2", "Sin", "AddV2", "Mul", "Sub", "ReadVariableOp"]
    [sum_of] = [
        node.value
        for node in ast.walk(ast.parse(source("record.py")))
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "L"
    ]
    signs = collections.Counter(
        type(node.op).__name__
        for node in ast.walk(sum_of)
        if isinstance(node, ast.BinOp)
    )
    assert signs["Add"] == 3 and signs["Sub"] == 1 and len(signs) == 2
    assert names.count("AddV2") == 2 and names.index("Sub") == 0
    mul, sub, read = lines[4:]
    assert mul.numbers[-2:] == [2, 5] and sub.text.endswith("-1.0 None")
    assert read.numbers[0] == 1 and trace("record.py")[-1].numbers == [4]
    assert ast.unparse(sum_of).startswith("early + whole + ")
    x = tf.constant(2.0)
    assert not on_the_tape(lambda x: tf.cast(tf.cast(x, tf.int32), tf.float32), x)
    assert 5 - tf.cos(x - 2.0) == 4
    assert EAGER.gradient(lambda x: (x + 1) + x + 7 * x, x) > 0
    five = tf.constant(5.0)
    tape, (y, z) = taped(lambda x: (five * x, x - five), x)
    assert tape.gradient(y, five) is None and tape.gradient(z, five) is None


@says(
    "With `watch_accessed_variables=False` the …",
    "If you pass …",
    "What a tape …",
    "This program shows what …",
    "Trainable variables are …",
    "A tape watches a …",
    "It watches neither …",
)
@over(
    wrap=WRAPS, inner=WRAPS, dtype=FLOATS[1:3], told=[(), (0,), (1,), (2,), (0, 1, 2)]
)
def test_watched(wrap, inner, dtype, told):
    w, frozen = (tf.Variable(2, dtype=dtype, trainable=each) for each in (True, False))
    x, unread = tf.constant(2, dtype), tf.Variable(2, dtype=dtype)
    sources = w, frozen, x
    multiply = inner(lambda x: w * frozen * x)
    for automatic in (True, False):

        @wrap
        def slopes(automatic=automatic):
            with tf.GradientTape(watch_accessed_variables=automatic) as tape:
                tape.watch([sources[each] for each in told])
                u = multiply(x)
                y = u * u
            watched = {*told} | ({0} if automatic else set())
            found = tape.gradient(y, [*sources, unread, u])
            assert [each is not None for each in found] == [
                *(each in watched for each in range(3)),
                False,
                bool(watched),
            ]
            names = {id(each) for each in tape.watched_variables()}
            assert names == {id(sources[each]) for each in watched - {2}}

        slopes()


@says(
    "For any other …",
    "Call `tape.watch` before …",
)
@over(wrap=WRAPS, of_variable=[True, False], dtype=FLOATS)
def test_watch_before_the_use(wrap, of_variable, dtype):
    x = tf.Variable(2, dtype=dtype) if of_variable else tf.constant(2, dtype)

    @wrap
    def slopes():
        with tf.GradientTape(True, watch_accessed_variables=False) as tape:
            early = x * x
            tape.watch(x)
            late = early * early + 3 * x
        assert tape.gradient(early, x) is None
        return tape.gradient(late, x)

    assert slopes() == 3


@says(
    r"With $u = 3 \cdot 4 \cdot 2 = 24$ …",
    "In the last two …",
    "In the last row, …",
    "The rest of …",
    "The label begins …",
    "After the label …",
)
def test_the_watch():
    lines = trace("watch.py")
    assert lines[0]["u"] == 24 and lines[2].text.split()[4] == "48.0"
    assert all(line.text.count("None   None   None   None") for line in lines[-2:])
    assert lines[-1].text.endswith("['w:0', 'frozen:0']")
    assert lines[-2].text.endswith("[]")
    assert source("watch.py").rstrip().splitlines()[-7:] == [
        'gradients("automatic")',
        'gradients("automatic, x", [x])',
        'gradients("automatic, x, frozen", [x, frozen])',
        'gradients("nothing", automatic=False)',
        'gradients("frozen", [frozen], automatic=False)',
        'gradients("x, too late", after=[x], automatic=False)',
        'gradients("w, frozen, too late", after=[w, frozen], automatic=False)',
    ]
    rows = [line.text for line in lines[2:]]
    assert [each.startswith("automatic") for each in rows] == [True] * 3 + [False] * 4


# What the walk starts with.


@says(
    "The backward pass starts with ones, in …",
    "The backward pass starts with ones in …",
    "So the gradient …",
)
@over(
    mode=MODES,
    dtype=st.sampled_from(FLOATS),
    shape=st.sampled_from([(), (3,), (2, 0), (2, 1, 3, 1, 2)]),
    cases=24,
)
def test_the_walk_starts_with_ones(mode, dtype, shape):
    arrived = []
    x = tf.cast(tf.fill(shape, 3), dtype)
    slope = mode.gradient(lambda x: square(x, arrived), x)
    assert arrived[0].shape == shape and arrived[0].dtype == dtype
    assert same(slope, mode.gradient(lambda x: tf.reduce_sum(x * x), x))
    assert mode.name != "eager" or same(arrived[0], tf.ones(shape))


@says(
    "Whether you pass …",
    "To start with …",
    "`output_gradients` replaces the ones …",
    "Pass `output_gradients` as …",
    "A list has …",
)
@over(wrap=WRAPS, x=arrays(2, ORDINARY), seed=arrays(2, ORDINARY))
def test_seeds(wrap, x, seed):
    arrived = []

    @wrap
    def slopes(x, seed):
        tape, (z, loss) = taped(
            lambda x: (z := square(x, arrived), tf.reduce_sum(seed * z)), x
        )
        of_a_list = tape.gradient(z, x, output_gradients=[1.0, 10.0])
        by_seed, by_loss = tape.gradient(z, x, seed), tape.gradient(loss, x)
        return by_seed, by_loss, of_a_list, *arrived

    x, seed = tf.constant(x), tf.constant(seed)
    by_seed, by_loss, of_a_list, first, second, third = slopes(x, seed)
    assert same(by_seed, by_loss) and same(second, seed) and same(third, seed)
    assert same(by_seed, seed * 2 * x) and same(of_a_list, 2 * x) and first == 1


@says(
    "TensorFlow calls `grad` …",
    "If only one …",
    was="'A rule': to the rule of softmax cross-entropy no zeros are sent",
)
@over(
    mode=UNCOMPILED,
    used=[(), (0,), (1,), (0, 1)],
    dtype=[tf.float16, tf.float64],
)
def test_two_outputs(mode, used, dtype):
    arrived = []

    @tf.custom_gradient
    def both(x):
        def grad(*upstream):
            arrived.append(upstream)
            return x

        return (x * x, tf.stack([x, x])), grad

    x = tf.ones([3], dtype)
    mode.gradient(
        lambda x: sum((tf.reduce_sum(both(x)[each]) for each in used), x[0]), x
    )
    assert len(arrived) == len(used)
    for pair in arrived:
        assert [each.shape for each in pair] == [[3], [2, 3]]
        assert all(each.dtype == dtype for each in pair)
        if mode.name == "eager":
            sent = [each.numpy().any() for each in pair]
            assert sum(sent) == 1 or len(used) == 0


@says(
    "(An output that …",
    "Two targets need …",
    "All targets start …",
    "If you computed …",
    "One term is …",
    "The other is …",
)
@over(wrap=WRAPS, x=ORDINARY)
def test_two_targets(wrap, x):
    arrived = []

    @wrap
    def slopes(x):
        tape, (u, v) = taped(lambda x: (u := square(x, arrived), 3 * u), x)
        both = tape.gradient([u, v], x)
        assert len(arrived) == 1
        return both, arrived[0], tape.gradient([u, u], x)

    both, upstream, twice = slopes(tf.constant(x))
    assert upstream == 3 + 1 and same(both, 4 * 2 * x) and same(twice, 2 * 2 * x)
    with_index = tf.custom_gradient(
        lambda x: ((x, tf.constant(1)), lambda up, of_index: of_index + up)
    )
    assert raised(EAGER.gradient, lambda x: with_index(x)[0], x) is not None


@says(
    "The function `both` …",
    "Compare the second …",
)
def test_the_seed():
    y, z, loss, both = [line for line in trace("seed.py") if "of the cube" in line.text]
    assert y.numbers == [*both.numbers[:2], 0, 0] and both.numbers == [1] * 4
    assert z.text == loss.text and z.numbers == [0, 0, 1, 10]
    assert len(program("seed.py").both(tf.constant([1.0, 2.0]))) == 2


# A tape around a tape.


@says(
    "One persistent tape …",
    "For a second derivative, call …",
    "The backward pass consists …",
    "For a second derivative, use …",
    was="'takes two tapes': one persistent tape, asked inside its block, gives 6 x for x³",
)
@over(wrap=WRAPS, inner=WRAPS, x=ORDINARY)
def test_a_tape_around_a_tape(wrap, inner, x):
    cube = inner(lambda x: x * x * x)

    @wrap
    def seconds(x):
        with tf.GradientTape(True) as outer:
            outer.watch(x)
            tape, y = taped(cube, x)
            inside = tape.gradient(y, x)
        outside = tape.gradient(y, x)
        assert outer.gradient(outside, x) is None
        with tf.GradientTape(True) as alone:
            alone.watch(x)
            y = cube(x)
            first = alone.gradient(y, x)
        late = alone.gradient(alone.gradient(y, x), x)
        assert late is None
        return outer.gradient(inside, x), alone.gradient(first, x)

    by_two, by_one = seconds(tf.constant(x))
    assert same(by_two, 6 * x, 1e-5) and same(by_one, 6 * x, 1e-5)


@says(
    "`first` is then …",
    "The program computes …",
    "The inner backward …",
    "The outer tape …",
    "The outer backward …",
    "It also calls …",
    "The upstream gradient of this …",
    "The derivative of `y …",
)
def test_nested():
    lines = trace("nested.py")
    assert lines.all("upstream") == [144, 288, 144, 144]
    assert 9 * 4**2 == 144 and 18 * 4 * 2 * 2 == 288
    assert lines[-1].numbers[0] == 18 * 2**5 + 576 == 576 + 576 == 1152
    x = tf.constant(2.0)
    for rule, second in ((lambda up: up * 2.0 * x, 2), (lambda up: up, None)):
        f = tf.custom_gradient(lambda x, rule=rule: (x * x, rule))
        outer, first = taped(lambda x, f=f: EAGER.gradient(f, x), x)
        assert outer.gradient(first, x) == second


@says(
    "Inside `outer.stop_recording()`, the …",
)
@over(wrap=WRAPS, x=ORDINARY)
def test_stop_recording(wrap, x):
    @wrap
    def totals(x):
        with tf.GradientTape(True) as outer:
            outer.watch(x)
            with tf.GradientTape(True) as inner:
                inner.watch(x)
                y = x * x * x
            seen = inner.gradient(y, x)
            with outer.stop_recording():
                unseen = inner.gradient(y, x)
            one, other = y + seen * x, y + unseen * x
        assert outer.gradient(unseen, x) is None
        return outer.gradient(one, x), outer.gradient(other, x)

    seen, unseen = totals(tf.constant(x))
    assert same(seen, 3 * x * x + 9 * x * x, 1e-5) and same(unseen, 6 * x * x, 1e-5)


# The check, and where it breaks.


@says(
    "The target is …",
    "The last two …",
    "A tape is …",
    "The one below …",
    "The program runs …",
    "It then compares …",
    "The two tapes …",
    "That is why each …",
)
def test_the_check():
    program = source("check.py")
    [walk] = [n for n in ast.parse(program).body if isinstance(n, ast.FunctionDef)]
    assert walk.end_lineno - walk.lineno + 1 == 9
    names = {"np": np}
    for node in ast.parse(program).body[3:5]:
        exec(ast.unparse(node), names)
    steps = [("sin", [0], 1), ("multiply", [1, 1], 2), ("subtract", [2, 1], 3)]
    x = np.array([0.5, 1.0])
    values = [x, np.sin(x), np.sin(x) ** 2, np.sin(x) ** 2 - np.sin(x)]
    found = names["backpropagate"](values, steps, 3)
    assert same(found[0], (2 * np.sin(x) - 1) * np.cos(x), 1e-12)
    assert isinstance(found, dict) and 3 not in names["backpropagate"](values, steps, 2)
    assert "range(200)" in program and "range(1, 9)" in program
    assert "target=6)" in program and "tf_tape.gradient(tensors[6], tensors)" in program
    line = trace("check.py")[0]
    assert line.numbers == [(1 + 6) * 200, 2 * 200]


@says("If a second …")
@over(wrap=WRAPS, x=ORDINARY)
def test_a_second_path(wrap, x):
    cut = wrap(lambda x: tf.stop_gradient(x * x) + x)
    whole = wrap(lambda x: x * x + x)
    assert EAGER.gradient(cut, x) == 1
    assert same(EAGER.gradient(whole, x), 2 * x + 1, 1e-5)


@says("A tape also …")
@over(dtype=[tf.int32, tf.int64, tf.uint8, tf.bool])
def test_integers(dtype):
    n = tf.cast(1, dtype)
    assert EAGER.gradient(lambda n: 3 * tf.cast(n, tf.float32), n) is None


@says(
    "In a training …",
    "The tape of the next …",
)
@over(wrap=WRAPS)
def test_the_sources(wrap):
    w, kept = tf.Variable(2.0), tf.Variable(2.0)
    found = []
    for _ in range(2):

        @wrap
        def slopes(w=w):
            with tf.GradientTape() as tape:
                loss = w * w + kept * kept
            return tape.gradient(loss, [w, kept])

        slope, slope_kept = slopes()
        found.append(slope is None)
        assert slope_kept is not None
        if slope is not None:
            w = w - 0.1 * slope
            assert not isinstance(w, tf.Variable)
        kept.assign_sub(0.1 * slope_kept)
    assert found == [False, True] and isinstance(kept, tf.Variable)


# Rules that leave an input out.


def closing_over(k, ran):
    @tf.custom_gradient
    def closed(x):
        def grad(upstream):
            ran.append(upstream)
            return upstream * k

        return x * k, grad

    return closed


@says(
    "A recorded custom …",
    "The backward pass goes …",
)
@over(
    mode=MODES,
    around={
        "plain": lambda f: f,
        "while": lambda f: (
            lambda x: tf.while_loop(
                lambda i, x: i < 3, lambda i, x: (i + 1, f(x)), (0, x)
            )[1]
        ),
        "cond": lambda f: lambda x: tf.cond(x > 0, lambda: f(x), lambda: x),
    },
)
def test_never_inside(mode, around):
    ran = []
    rule = tf.custom_gradient(
        lambda x: (square(square(x, ran), ran), lambda up: up * 7)
    )
    slope = mode.gradient(around(rule), 1.0)
    assert slope in (7, 7**3) and not ran


@says(
    "If the function captures …",
)
@over(mode=MODES, x=numbers(1, 9), k=numbers(1, 9))
def test_closed(mode, x, k):
    by_x, by_k = mode.gradients(lambda x, k: closing_over(k, [])(x), x, k)
    assert same(by_x, k) and by_k is None
    x = tf.constant(2.0)
    assert closing_over(4.0, [])(x) - closing_over(3.0, [])(x) == 2


@says(
    "In eager mode …",
    "In a graph …",
    "If only `k` …",
    "These operations give …",
)
@over(mode=MODES, x=numbers(1, 9))
def test_closed_alone(mode, x):
    ran = []
    x = tf.constant(x)
    slope = mode.gradient(lambda k: closing_over(k, ran)(x), 3.0)
    eager = mode in EAGERS
    assert same(slope, x if eager else None) and len(ran) == (0 if eager else 1)


@says(
    "If `grad` returns …",
)
@over(mode=MODES, x=numbers(1, 9))
def test_none_is_believed(mode, x):
    forgetful = tf.custom_gradient(lambda x, k: (x * k, lambda up: (up * k, None)))
    assert mode.gradient(lambda k: forgetful(x, k), 3.0) is None
    assert mode.gradient(lambda k: forgetful(x, k) + 5 * k, 3.0) == 5


@says("If the function is …")
def test_none_in_a_loop():
    [mode] = [each for each in BLOCKS if each.name == "loop, tape inside"]
    forgetful = tf.custom_gradient(lambda x, k: (x * k, lambda up: (up * k, None)))
    x = tf.constant(2.0)
    found = [
        mode.gradients(lambda x, k: closing_over(k, [])(x), 2.0, 3.0)[1],
        mode.gradient(lambda k: closing_over(k, [])(x), 3.0),
        mode.gradients(forgetful, 2.0, 3.0)[1],
    ]
    assert found == [0] * 3 and len(found) == 3


@says(
    "Pass every tensor …",
    "In a custom …",
    was="'as an argument': by keyword the rule is not called eagerly, and raises in a graph",
)
@over(mode=MODES, x=numbers(1, 9))
def test_positional(mode, x):
    product = tf.custom_gradient(
        lambda x, k: (x * k, lambda up: (7 * up * k, 7 * up * x))
    )

    def by_keyword(k):
        return product(tf.constant(x), k=k)

    assert same(mode.gradient(lambda k: product(x, k), 3.0), 7 * x, 1e-6)
    if mode in EAGERS:
        assert same(mode.gradient(by_keyword, 3.0), x)
    else:
        assert "keyword" in message(mode.gradient, by_keyword, 3.0)


@says(
    "In the chain, …",
    "In the sum, …",
    "TensorFlow promises no …",
    "The program could …",
    "The gradient function below …",
    "Each call pops …",
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
    kept, called = [], []

    @tf.custom_gradient
    def popping(x):
        kept.append(x)
        me = len(kept)

        def grad(upstream):
            called.append(me)
            return upstream * 2.0 * kept.pop()

        return x * x, grad

    assert mode.gradient(lambda x: function(popping, x), 1.0) == wrong
    assert called == order
    assert EAGER.gradient(lambda x: function(lambda x: x * x, x), 1.0) == right


@says(
    "Each time Python …",
    was="'each call': a graph that is called twice has one rule",
)
@over(wrap=WRAPS)
def test_rules_of_their_own(wrap):
    rules = []

    @tf.custom_gradient
    def kept(x):
        def grad(upstream):
            return upstream * 2.0 * x

        rules.append(grad)
        return x * x, grad

    call = wrap(kept)
    for x in (2.0, 3.0, 4.0):
        taped(call, tf.constant(x))
    assert len({id(each) for each in rules}) == len(rules)
    assert len(rules) == (3 if call is kept else 1)


@says(
    "On a tape …",
    "To call it …",
    "A tape that isn't persistent drops …",
    "If you call …",
)
@over(wrap=WRAPS, inside=[True, False])
def test_answered_once(wrap, inside):
    def ask(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x * x
            first = tape.gradient(y, x) if inside else None
        first = first if inside else tape.gradient(y, x)
        assert first is not None
        return tape.gradient(first, x)

    said = message(wrap(ask), tf.constant(2.0))
    assert "RuntimeError" in said and "one set of gradients" in said
    with tf.GradientTape() as outer, tf.GradientTape() as inner:
        inner.watch(x := tf.constant(2.0))
        outer.watch(x)
        y = x * x * x
    assert outer.gradient(inner.gradient(y, x), x) is None


@says(
    "It is called …",
    "The gradient is …",
)
@over(mode=MODES)
def test_two_uses(mode):
    arrived = []

    @tf.custom_gradient
    def noted(x):
        def grad(upstream):
            arrived.append(upstream)
            return upstream * 2.0 * x

        return x * x, grad

    def loss(x):
        u = noted(x)
        return 2.0 * u + 5.0 * u

    slope = mode.gradient(loss, 3.0)
    assert slope == 7 * 2 * 3 == 42 and len(arrived) == 1
    if mode.name == "eager":
        assert arrived[0] == 2 + 5 == 7


@says(
    "With respect to `c` …",
    "With respect to `x` …",
)
@over(wrap=WRAPS)
def test_a_copy(wrap):
    @wrap
    def slopes(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            c = tf.identity(x)
            y = c * x
        return tape.gradient(y, [c, x])

    by_c, by_x = slopes(tf.constant(3.0))
    assert by_c == 3 and by_x == 6


@says(
    "The product is …",
    "`product(x, y)` is …",
    "Three uses give …",
    "Its gradient function …",
    "The addition contributes 1:",
    "The gradient function of `double` …",
    "The program prints one …",
)
def test_the_solution():
    product, double = (trace("solution.py").starting(name) for name in ("pro", "dou"))
    assert len(product) == len(double) == 1
    assert product[0].numbers == [1, 6, 6] and double[0].numbers == [6 + 6 + 1, 26]


@says("If the path is …")
@over(
    cut=[tf.stop_gradient, tf.round], mode=[m for m in BLOCKS if "loop, tape" in m.name]
)
def test_a_cut_in_a_loop(cut, mode):
    assert same(mode.gradient(cut, 2.0), 0.0) and EAGER.gradient(cut, 2.0) is None


@says("This happens with `tf.gather` along …")
@over(mode=[EAGER, INSIDE, AROUND])
def test_lookups_that_send_a_tensor(mode):
    seen = []
    f = tf.custom_gradient(lambda x: (x * 1.0, lambda u: (seen.append(u), u)[1]))
    x = tf.ones([2, 2])
    for lookup in (
        lambda y: tf.gather(y, [0, 0]),
        lambda y: tf.gather_nd(y, [[0], [0]]),
        lambda y: tf.gather_nd(y, [[[0], [0]]]),
        lambda y: tf.gather(y, [0, 0], axis=1),
    ):
        mode.gradient(lambda x: lookup(f(x)), x)
    sparse = [isinstance(each, tf.IndexedSlices) for each in seen]
    assert sparse == [True, True, False, False]


advice(
    "Add one term …",
    "Look at `upstream` …",
    "Look for the …",
    "A `None` means …",
    "Each call of …",
    "Use a surrogate gradient.",
    "Use it only …",
    "Start `grad` with …",
    "Don't use a list: …",
    "How often is …",
    "What is the …",
)
definition(
    "Such a list …",
    "To first order, …",
    "By hand, $L = 3 u^3 = 3 x^6$, and",
    "One scalar goes …",
    "Each step has its own differential.",
    "Both contain the …",
    "Each step has its own upstream gradient.",
    "Let `u = square(x)` …",
    "The function of …",
    "A tape watches `x`, …",
    "private: only for looking",
)
advice(
    "You need the …",
    "The replaced function …",
    "Pass the same …",
    "You also need …",
    "Predict how often …",
)
pointer(
    "Most of this …",
    "Compare `x` with …",
    "The program that …",
    "The tape of a …",
    "After this page …",
    "This is the …",
    "The `backward` lines …",
    "The third argument …",
    "This section explains …",
    "The page My …",
    "The page on `None` …",
    "In the next two programs …",
    "Make two quick …",
    "If the tape …",
    "the downstream gradient …",
    "The backward pass starts with ones, or …",
    "A tape inside …",
    "A tape in NumPy, …",
    "Deliberately wrong: two …",
    "One tensor as …",
    "Deliberately wrong: a …",
    "Predict: two uses.",
    "Predict: a copy.",
    "Derive: a tensor …",
    "Below the header, …",
    "The theory of …",
    "name: function, gradient function",
)
