"""What the page on broadcasting says in words."""

import json
import re
from pathlib import Path

import keras

from truth.statements.tries import *

BESIDE = [EAGER, PERSISTENT, INSIDE, XLA]
"""The tape runs where the rule does."""
APART = [AROUND, NESTED, AROUND_XLA, SYMBOLIC]


@st.composite
def shapes(draw):
    """The shape of an output, and one that broadcasts to it."""
    output = draw(st.lists(st.integers(0, 3), max_size=5))
    kept = output[draw(st.integers(0, len(output))) :]
    return output, [draw(st.sampled_from([1, size])) for size in kept]


def whole(seed, shape):
    """An array of whole numbers, so that equal means equal."""
    draw = np.random.default_rng(seed)
    return tf.constant(draw.integers(-9, 10, shape), tf.float64)


def by_definition(gradient, shape):
    return program("check.py").by_definition(np.asarray(gradient), tuple(shape))


def silent(name="wrong/silent.py"):
    return program(name).shift


def shapes_that_come_back(mode, before, w):
    rule = silent()
    try:
        return mode.gradient(lambda w: rule(tf.zeros([2, 3]), before(w)), w).shape
    except (ValueError, tf.errors.InvalidArgumentError) as error:
        return error


# The derivation.


@says(
    "Each row of $x$ …",
    "The code is …",
    "A matrix and …",
    "$b$ has only …",
    "The effects of …",
    r"Because $\d b_j$ does …",
    "The gradient of such …",
    "There is one differential …",
    "Both rows share …",
    r"The factor in front of $\d x_{ij}$ …",
    r"The factor in front of $\d b_j$ …",
)
@over(mode=[EAGER, INSIDE, AROUND], seed=st.integers(0, 99), cases=6)
def test_product(mode, seed):
    x, b, upstream = (whole(seed, shape) for shape in ([2, 3], [3], [2, 3]))
    assert same(x * b, np.stack([x[0] * b, x[1] * b]))
    for_x, for_b = mode.gradients(lambda x, b: upstream * (x * b), x, b)
    assert for_x.shape == [2, 3] and for_b.shape == [3]
    for j in range(3):
        each = [upstream[i, j] * x[i, j] for i in range(2)]
        assert same(for_b[j], sum(each))
        assert all(same(for_x[i, j], upstream[i, j] * b[j]) for i in range(2))
    db = whole(seed + 1, [3])
    assert same(x * (b + db) - x * b, x * db)


@says(
    "In an elementwise …",
    "Multiply by the …",
    "If the input …",
)
@over(
    pair=shapes(),
    seed=st.integers(0, 99),
    examples=({"pair": ([2, 3], [3]), "seed": 0},),
)
def test_first_the_product(pair, seed):
    output, shape = pair
    x, upstream, b = (whole(seed, each) for each in (output, output, shape))
    local = tf.broadcast_to(x, output)
    assert (upstream * local).shape == output
    right = EAGER.gradient(lambda b: upstream * (x * b), b)
    assert same(right, by_definition(upstream * local, shape))
    if pair == ([2, 3], [3]):
        sums_first = np.multiply(
            *(by_definition(each, shape) for each in (upstream, local))
        )
        assert not same(right, sums_first)


@says(
    r"Write $\tilde b$ …",
    "Each row of $B$ …",
    "It has a single 1, …",
    r"Each row of $B^{\T}$ …",
    "This holds for …",
    "The copies of …",
    "Broadcasting is itself …",
    "$B$ is constant, …",
    "The gradient function multiplies …",
    "The gradient of an …",
    "Both computations return …",
)
@over(mode=[EAGER, INSIDE], pair=shapes(), seed=st.integers(0, 99))
def test_transpose_of_the_copy(mode, pair, seed):
    output, shape = pair
    b, upstream = whole(seed, shape), whole(seed + 1, output)
    size = int(np.prod(shape))
    units = np.eye(size).reshape([size, *shape])
    B = np.array([np.broadcast_to(each, output).ravel() for each in units])
    B = B.reshape([size, int(np.prod(output))]).T
    assert np.all(np.sum(B, 1) == 1) and {*B.ravel()} <= {0, 1}
    elements = np.broadcast_to(np.arange(size).reshape(shape), output).ravel()
    assert same(np.argmax(B, 1) if B.size else elements, elements)
    assert same(B @ np.ravel(b), np.ravel(tf.broadcast_to(b, output)))
    found = mode.gradient(lambda b: upstream * tf.broadcast_to(b, output), b)
    assert same(found, (B.T @ np.ravel(upstream)).reshape(shape))
    defined = program("copies.py")
    assert defined.B.shape == [6, 3]
    assert same(
        tf.reshape(tf.broadcast_to(defined.b, [2, 3]), [6]), tf.tile(defined.b, [2])
    )
    assert trace("copies.py").line("Jacobian is B").text.endswith("True")


@says(
    "Sum over the axes that the …",
    "The input lacks …",
    "The input has …",
    "An axis of …",
    "`tf.raw_ops.BroadcastGradientArgs` takes two …",
    "Sum over the axes that `like` …",
    "It copies in …",
    "Then the whole input …",
    "Then the one element …",
    "`unbroadcast` therefore does …",
    "It sums over every …",
    "Then it gives …",
    "If the output …",
    "Broadcasting aligns the …",
    "If the two …",
    "This list contains …",
    "The program uses …",
)
@over(
    pair=shapes(),
    seed=st.integers(0, 99),
    cases=40,
    examples=({"pair": ([1, 3], [3]), "seed": 0}, {"pair": ([2, 1], [1]), "seed": 0}),
)
def test_axes(pair, seed):
    output, shape = pair
    lacking = len(output) - len(shape)
    lined_up = [1] * lacking + shape
    copied = [axis for axis, size in enumerate(lined_up) if size == 1]
    assert lined_up[len(output) - len(shape) :] == shape
    axes, of_output = tf.raw_ops.BroadcastGradientArgs(
        s0=tf.constant(shape, tf.int32), s1=tf.constant(output, tf.int32)
    )
    assert [*axes.numpy()] == ([] if shape == output else copied)
    exchanged = tf.raw_ops.BroadcastGradientArgs(
        s0=tf.constant(output, tf.int32), s1=tf.constant(shape, tf.int32)
    )
    assert same(exchanged[0], of_output) and same(exchanged[1], axes)
    assert "axes, _ = tf.raw_ops" in source("broadcasting.py")
    b, upstream = whole(seed, shape), whole(seed + 1, output)
    copies = np.asarray(tf.broadcast_to(b, output))
    for axis in range(len(output)):
        first = np.take(copies, [0], axis) if output[axis] else copies
        assert axis not in copied or same(copies, np.broadcast_to(first, output))
    found = program("broadcasting.py").unbroadcast(upstream, b)
    assert found.shape == shape and same(found, by_definition(upstream, shape))
    kept = [axis for axis in range(len(output)) if axis not in copied]
    assert same(np.ravel(found), np.ravel(np.sum(upstream, tuple(copied)))) and [
        output[axis] for axis in kept
    ] == [size for size in shape if size != 1]


@says("The helper `unbroadcast` …")
@over(pair=shapes(), seed=st.integers(0, 99))
def test_the_helper_to_copy(pair, seed):
    output, shape = pair
    b, upstream = whole(seed, shape), whole(seed + 1, output)
    found = program("check.py").unbroadcast(upstream, b)
    assert found.shape == shape and same(found, by_definition(upstream, shape))
    page = (Path(__file__).parents[3] / "docs/guide/broadcasting.md").read_text()
    shown = re.search(r"```{.python notest}\n(.*?)```", page, re.DOTALL)[1]
    assert shown in source("check.py")


@says(
    "A column $b$ …",
    "A vector is …",
    "A scalar is …",
    "The index of …",
)
@over(mode=MODES)
def test_number_and_column(mode):
    x, upstream = whole(0, [2, 3]), whole(1, [2, 3])
    products = np.asarray(upstream * x)
    for shape, right in (
        ([3], products.sum(0)),
        ([], products.sum()),
        ([2, 1], products.sum(1)[:, None]),
    ):
        found = mode.gradient(lambda b: upstream * (x * b), whole(2, shape))
        assert same(found, right)
    copies = np.asarray(tf.broadcast_to([[5.0], [7.0]], [2, 3]))
    assert np.ptp(copies, 1).max() == 0 < np.ptp(copies, 0).max()


@says(
    "The picture shows the sums …",
    "Three panels with …",
    "For b of …",
    "For shape [2, …",
    "For the empty …",
    "The sums in …",
    "The sums of …",
)
def test_picture():
    lines, products = trace("figure.py"), np.array([[1, 2, 3], [40, 50, 60]])
    shown = [each.text.split("sums") for each in lines]
    assert [each[2:].strip() for each, _ in shown] == ["[3]", "[2, 1]", "[]"]
    numbers = [[*np.ravel(json.loads(each))] for _, each in shown]
    assert numbers == [[41, 52, 63], [6, 150], [156]]
    assert numbers[:2] == [[*products.sum(0)], [*products.sum(1)]]
    defined = program("broadcasting.py")
    assert same(defined.weights * defined.x, products)
    for shape, right in zip(([3], [2, 1], []), numbers):
        own = EAGER.gradient(lambda b: defined.weights * defined.x * b, tf.ones(shape))
        assert [*np.ravel(own)] == right


# The snippet.


@says(
    "$b$ of shape …",
    "Shape `[2, 1]`: …",
    "Shape `[]`: summed …",
    "The program tries …",
    "For every $b$, …",
    "The picture above …",
    "$x$ wasn't copied, …",
    "y = x …",
)
def test_the_trace():
    lines = trace("broadcasting.py")
    assert lines[0].numbers == [1, 2, 3, 40, 50, 60]
    downstream, own = lines.starting("downstream_b"), lines.starting("autodiff")
    assert [each.numbers for each in downstream] == [[41, 52, 63], [6, 150], [156]]
    assert [each.numbers for each in own] == [each.numbers for each in downstream]
    assert downstream[1].text.endswith("[[6.0], [150.0]]")
    defined = program("broadcasting.py")
    nothing = defined.unbroadcast(defined.weights, defined.x)
    assert same(nothing, defined.weights) and len(lines.starting("downstream_x")) == 3


@says(
    "The call is …",
)
@over(mode=[EAGER, INSIDE, AROUND, SYMBOLIC], shape=[[3], [2, 1], []])
def test_exchanged(mode, shape):
    defined = program("outside.py")
    ours = rule_with(program("broadcasting.py").unbroadcast)
    x, b = whole(0, [2, 3]), whole(1, shape)
    right = mode.gradients(lambda b, x: b * x, b, x, loss=LOSSES["dense"])
    for function in (ours, defined.product):
        found = mode.gradients(function, b, x, loss=LOSSES["dense"])
        assert all(map(same, found, right))


def rule_with(unbroadcast):
    """The page's rule, without its print."""

    @tf.custom_gradient
    def product(x, b):
        def grad(upstream):
            return unbroadcast(upstream * b, x), unbroadcast(upstream * x, b)

        return x * b, grad

    return product


@says(
    "TensorFlow's own gradient …",
    "The last line of the output shows this …",
    was="'where a length is not known': not for [None, 3] with [1, 3]",
)
@over(
    told={
        "known": (True, [2, 3], [3]),
        "one unknown": (True, [None, 3], [1, 3]),
        "two unknown": (False, [None, 3], [None, 3]),
        "one against 3": (False, [2, 3], [None]),
        "no rank": (False, None, [3]),
    }
)
def test_own_rule(told):
    told, *specs = told
    graph = tf.function(lambda x, b: tf.gradients(x * b, b), autograph=False)
    graph = graph.get_concrete_function(*map(tf.TensorSpec, specs)).graph
    used = [each.type for each in graph.get_operations()]
    assert ("BroadcastGradientArgs" in used) == (not told)
    assert "BroadcastGradientArgs" in trace("copies.py")[-1].text


@says(
    "Broadcast outside the …",
    "The copies are …",
    "Alternatively, call `tf.broadcast_to` …",
    "TensorFlow then computes …",
    "If the copies …",
    "The gradient function of `tf.broadcast_to` …",
    "The three gradients …",
)
@over(mode=[EAGER, AROUND, XLA], pair=shapes(), cases=18)
def test_outside(mode, pair):
    output, shape = pair
    x, b = whole(0, output), whole(1, shape)
    found = mode.gradient(lambda b: 7.0 * program("outside.py").product(x, b), b)
    assert same(found, by_definition(7.0 * x, shape))


@says(
    "`tf.matmul` also broadcasts, …",
    "One matrix for …",
    "The gradient function first …",
    "The gradients are …",
)
@over(
    mode=[EAGER, AROUND, XLA],
    batches=[([], [4]), ([1], [4]), ([2, 1], [3]), ([4], []), ([3], [2, 3]), ([], [0])],
)
def test_matmul(mode, batches):
    one, other = batches
    W, x = whole(0, [*one, 2, 3]), whole(1, [*other, 3, 1])
    upstream = tf.ones_like(W @ x)
    unbroadcast = program("matmul.py").unbroadcast
    each = (
        tf.matmul(upstream, x, transpose_b=True),
        tf.matmul(W, upstream, transpose_a=True),
    )
    right = mode.gradients(tf.matmul, W, x)
    assert all(
        map(same, [unbroadcast(g, like) for g, like in zip(each, (W, x))], right)
    )
    assert (W @ x).shape == [*np.broadcast_shapes(one, other), 2, 1]
    assert raised(tf.matmul, tf.ones([1, 3]), tf.ones([2, 3])) is not None
    if not one:  # columns
        assert same((W @ x)[..., 0], np.einsum("ij,kj->ki", W, x[..., 0]))


# The check.


@says(
    "Each line but …",
    "An empty batch …",
    "If `unbroadcast` is …",
    "`by_definition` computes this …",
    "For each position …",
    "Then it adds …",
    "Add each number …",
)
@over(
    pair=shapes(),
    seed=st.integers(0, 99),
    examples=({"pair": ([0, 3], [3]), "seed": 0},),
)
def test_pairings(pair, seed):
    output, shape = pair
    b, upstream = whole(seed, shape), whole(seed + 1, output)
    defined = program("check.py")
    summed = by_definition(upstream, shape)
    copied = np.sum(upstream * np.broadcast_to(b, output))
    assert copied == np.sum(summed * b) and summed.shape == tuple(shape)
    sent = np.zeros(shape)
    for place in np.ndindex(*output):
        at = np.unravel_index(
            np.broadcast_to(np.arange(b.numpy().size).reshape(shape), output)[place],
            shape,
        )
        sent[at] += upstream[place]
    assert same(summed, sent)
    for run in list(defined.modes.values())[:2]:
        assert same(run(upstream, b), summed)
    if 0 in output:
        assert np.all(summed == 0)
    for line in trace("check.py")[:-1]:
        assert line.numbers[-1] == line.numbers[-2]


@says(
    "All numbers are …",
    "unbroadcast against its …",
    "The check has …",
    "It runs in …",
    "get_concrete_function traces each …",
)
def test_ten_pairs():
    lines, defined = trace("check.py"), program("check.py")
    assert len(lines[:-1]) == 10 and sum("(0, 3)" in each.text for each in lines) == 2
    assert [*defined.modes] == ["eager", "unknown shapes", "XLA"]
    assert all(each.shape.rank is None for each in defined.unknown)
    assert all(number == round(number) for each in lines for number in each.numbers)
    traced = []
    counting = tf.function(lambda x: traced.append(1))
    for shape in ([2], [3], [2]):
        counting.get_concrete_function(tf.ones(shape))
    assert len(traced) == 2


# Where it breaks.


@says(
    "After six steps …",
    "The update `b - 0.5 * gradient` …",
    "This program trains …",
    "The smallest loss …",
    "`grad` returns `upstream` …",
    "TensorFlow raises no …",
    "The symptom is …",
)
def test_grows():
    lines, defined = trace("wrong/grows.py"), program("wrong/grows.py")
    rule, own = lines.starting("custom"), lines.starting("autodiff")
    best = tf.reduce_mean(defined.targets, 0)
    least = 0.5 * tf.reduce_sum((best - defined.targets) ** 2)
    assert same(least, 14.0) and own[-1]["loss"] == 14
    assert "step 6" in rule[-1].text and rule[-1]["loss"] == 0.006836 < 14
    assert [("(2, 3)" in each.text) for each in rule] == [False, True, True, True]
    upstream = whole(0, [2, 3])
    b = tf.zeros([3], tf.float64)
    found, right = (
        EAGER.gradient(lambda b: upstream * f(tf.zeros([2, 3], tf.float64), b), b)
        for f in (defined.shift, defined.plain)
    )
    assert same(found, upstream) and same(right, tf.reduce_sum(found, 0))
    assert (b - 0.5 * found).shape == found.shape


@says(
    "Fix: `return unbroadcast(upstream, x), unbroadcast(upstream, b)`.",
)
@over(mode=[EAGER, NESTED, XLA], shape=[[3], [2, 1], [], [1, 1], [2, 3]])
def test_cure(mode, shape):
    unbroadcast = program("broadcasting.py").unbroadcast

    @tf.custom_gradient
    def shift(x, b):
        return x + b, lambda upstream: (
            unbroadcast(upstream, x),
            unbroadcast(upstream, b),
        )

    x, b = whole(0, [2, 3]), whole(1, shape)
    right = mode.gradients(tf.add, x, b, loss=LOSSES["dense"])
    assert all(map(same, mode.gradients(shift, x, b, loss=LOSSES["dense"]), right))


@says(
    "A forgotten sum …",
    "If you call …",
    "This is also true in …",
    "In three cases, …",
    "if the tape is …",
    "if a branch or …",
    "if you use `tf.gradients`",
    "The program at …",
    was="'a tape asks a rule for as many gradients as it has inputs, not for their shapes': around or nested it raises Incompatible shapes",
)
@over(mode=MODES, count=[1, 2, 3])
def test_shapes_are_compared(mode, count):
    b = tf.constant([1.0, 2.0, 3.0])
    found = shapes_that_come_back(mode, tf.identity, b)
    if mode in BESIDE:
        assert found == [2, 3]
    else:
        assert "Incompatible shapes" in str(found)
    more = tf.custom_gradient(lambda x, b: (x * b, lambda upstream: [upstream] * count))
    refused = raised(mode.gradients, more, b, b) is not None
    assert refused == (count != 2)


@says("In three cases, …", "if a branch or …")
@over(
    mode=[m for m in BLOCKS if m.name in ("branch, tape inside", "loop, tape inside")]
)
def test_shapes_in_a_block(mode):
    found = shapes_that_come_back(mode, tf.identity, tf.constant([1.0, 2.0, 3.0]))
    assert "Incompatible shapes" in str(found)


@says(
    "In three cases, …",
)
@over(known=[[3], [None], None])
def test_what_the_graph_knows(known):
    rule, b = silent(), tf.constant([1.0, 2.0, 3.0])
    spec = [tf.TensorSpec(known)]
    shift = tf.function(lambda b: rule(tf.zeros([2, 3]), b), input_signature=spec)
    symbolic = tf.function(
        lambda b: tf.gradients(rule(tf.zeros([2, 3]), b), b)[0], input_signature=spec
    )
    for run in (lambda: EAGER.gradient(shift, b), lambda: symbolic(b)):
        assert (raised(run) is None) == (known is None)


@says(
    "`SILENT` means that …",
    "The last line compares …",
    "Clipping by norm …",
    "Otherwise, whether you …",
    "In the next program, each …",
)
def test_who_notices():
    lines, b = trace("wrong/silent.py"), tf.constant([1.0, 2.0, 3.0])
    for name, before in (
        ("b", tf.identity),
        ("tf.sin(b)", tf.sin),
        ("tf.tanh(b)", tf.tanh),
        ("2 * b", lambda b: 2.0 * b),
    ):
        [line] = lines.starting(f"{name} ")
        columns = line.text[20:43], line.text[43:]
        for shown, mode in zip(columns, (EAGER, INSIDE)):
            found = shapes_that_come_back(mode, before, b)
            assert ("SILENT (2, 3)" in shown) == (not isinstance(found, Exception))
    seen, right = lines[-1].numbers
    assert abs(seen - np.sqrt(6)) < 1e-4 and abs(right - np.sqrt(12)) < 1e-4
    clipped = tf.clip_by_global_norm([tf.ones([2, 3])], 1.0)[1]
    assert same(clipped, np.float32(np.sqrt(6)), 1e-6)


MULTIPLY = {
    f.__name__: f
    for f in (
        tf.sin,
        tf.cos,
        tf.exp,
        tf.math.log,
        tf.square,
        tf.abs,
        tf.math.softplus,
        tf.nn.softmax,
    )
}
OWN = {
    f.__name__: f
    for f in (
        tf.tanh,
        tf.sigmoid,
        tf.sqrt,
        tf.math.rsqrt,
        tf.math.reciprocal,
        tf.nn.relu,
    )
}


@says(
    "The gradient functions of `tf.sin`, …",
    "The multiplication broadcasts, …",
)
@over(mode=[EAGER, INSIDE, XLA], before=MULTIPLY)
def test_multiplying_passes_on(mode, before):
    b = tf.constant([0.1, 0.2, 0.3])
    assert shapes_that_come_back(mode, before, b) == [2, 3]


@says(
    "The gradient function of `tf.tanh` is …",
    "Under XLA, some …",
    was="'compare sizes': the gradients of sqrt and rsqrt do not under XLA",
)
@over(mode=[EAGER, INSIDE, XLA], before=OWN)
def test_own_operations_compare(mode, before):
    b = tf.constant([0.1, 0.2, 0.3])
    found = shapes_that_come_back(mode, before, b)
    passes = mode is XLA and before in (tf.sqrt, tf.math.rsqrt)
    assert isinstance(found, Exception) != passes


@says(
    "`2 * b` …",
    was="'an error or silent by the mode alone': in a graph of unknown rank it raises, and [2, 2, 2] * b does where the length is unknown",
)
@over(known=[[3], [None], None])
def test_twice(known):
    b = tf.constant([1.0, 2.0, 3.0])
    assert isinstance(shapes_that_come_back(EAGER, lambda b: 2.0 * b, b), Exception)
    shift = program("wrong/silent.py").gradient
    graph = tf.function(
        lambda b: shift(lambda b: 2.0 * b, b),
        input_signature=[tf.TensorSpec(known)],
        autograph=False,
    )
    assert (raised(graph, b) is None) == (known is not None)
    assert known is None or graph(b).shape == [2, 3]


@says(
    "If the wrong …",
    "Each block of …",
    "The message below …",
)
@over(mode=MODES, before={**OWN, "2 * b": lambda b: 2.0 * b})
def test_messages(mode, before):
    found = shapes_that_come_back(mode, before, tf.constant([1.0, 2.0, 3.0]))
    if isinstance(found, Exception):
        assert "shift" not in str(found) and "grad(" not in str(found)
    assert not any("shift" in each.text for each in trace("wrong/messages.py"))


@says(
    "`assign_sub` raises an …",
    "Adam and RMSprop …",
    was="'a variable has a fixed shape': tf.Variable(…, shape=None) has none",
)
@over(
    update={
        "assign_sub": lambda v, g: v.assign_sub(g),
        "assign_sub, shape unknown": lambda v, g: tf.Variable(
            v, shape=tf.TensorShape(None)
        ).assign_sub(g),
        "Adam": lambda v, g: keras.optimizers.Adam().apply_gradients([(g, v)]),
        "RMSprop": lambda v, g: keras.optimizers.RMSprop().apply_gradients([(g, v)]),
    },
    graph=[False, True],
)
def test_updates_are_refused(update, graph):
    if graph:
        update = tf.function(lambda v, g, run=update: run(v, g), autograph=False)
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.init_scope():
        assert raised(update, v, tf.ones([2, 3])) is not None
    optimizer = keras.optimizers.Adam()
    optimizer.build([v])
    rms = keras.optimizers.RMSprop()
    rms.build([v])
    for kept in (optimizer.variables, rms.variables):
        assert any(tuple(each.shape) == (3,) for each in kept)


@says(
    "If a gradient has …",
    "If a gradient has …",
)
def test_too_small():
    taken = [
        raised(optimizer().apply_gradients, [(tf.ones([]), tf.Variable(tf.ones([3])))])
        is None
        for optimizer in (keras.optimizers.Adam, keras.optimizers.SGD)
    ]
    assert taken == [True, False]


@says(
    "A mean in …",
    "`sums first` sums …",
    "The result also …",
    "In the next program, `x` …",
    "`other axis` has …",
)
@over(seed=st.integers(0, 99), cases=4)
def test_right_shape(seed):
    rules = program("wrong/right_shape.py").rules
    x, upstream, b = (whole(seed, each) for each in ([3, 3], [3, 3], [3]))
    own, mean, sums, other = (
        EAGER.gradient(lambda b: upstream * f(x, b), b) for f in rules.values()
    )
    assert same(3 * mean, own, 1e-12)
    across = sum(upstream[i] * x[k] for i in range(3) for k in range(3))
    assert same(sums, across) and same(own, sum(upstream[i] * x[i] for i in range(3)))
    assert own.shape == mean.shape == sums.shape == other.shape == [3]
    assert same(other, tf.reduce_sum(upstream * x, 1))
    oblong = whole(seed, [2, 3])
    found = EAGER.gradient(lambda b: rules["other axis"](oblong, b), b)
    assert found.shape != b.shape
    shown = [each.text.split(")")[1] for each in trace("wrong/right_shape.py")]
    assert len({*shown}) == 4


@says(
    "A mean belongs …",
)
@over(mode=MODES)
def test_mean_in_the_loss(mode):
    ours = rule_with(program("broadcasting.py").unbroadcast)
    x, b = whole(0, [2, 3]), whole(1, [3])
    found, own = (
        mode.gradient(lambda b: f(x, b), b, tf.reduce_mean) for f in (ours, tf.multiply)
    )
    assert same(found, own, 1e-12) and same(6 * found, tf.reduce_sum(x, 0), 1e-12)


@says(
    "This `unbroadcast` reads …",
    "In a graph …",
    "`None` isn't 1, …",
    "`tf.shape` reads the …",
)
@over(pair=shapes(), cases=10, examples=({"pair": ([2, 3], [1, 3])},))
def test_shape_in_python(pair):
    output, shape = pair
    upstream, b = whole(0, output), whole(1, shape)
    static = program("wrong/static.py").unbroadcast
    asking = program("broadcasting.py").unbroadcast
    right = by_definition(upstream, shape)
    graph = tf.function(static).get_concrete_function(upstream, b)
    assert same(static(upstream, b), right) and same(graph(upstream, b), right)
    unknown = [
        tf.TensorSpec([None] * len(each), tf.float64) for each in (output, shape)
    ]
    found = tf.function(static, input_signature=unknown)(upstream, b)
    assert same(tf.function(asking, input_signature=unknown)(upstream, b), right)
    # What lacks an axis is summed, for the rank is known.
    rows = np.sum(upstream, tuple(range(len(output) - len(shape))))
    assert same(found, rows) and (found.shape == shape) == (rows.shape == tuple(shape))


@says(
    "The last line of the output shows why …",
)
@over(pair=shapes(), cases=30)
def test_reshape_raises(pair):
    output, shape = pair
    upstream, b = whole(0, output), whole(1, shape)
    forgotten = tf.size(upstream) != tf.size(b)  # without a copy, or with none left
    assert (raised(tf.reshape, upstream, shape) is not None) == forgotten
    assert trace("wrong/static.py")[-1].text.startswith("tf.reshape: Input to reshape")


# The exercise.


@says(
    "The gradient is …",
    "The upstream gradient is …",
)
@over(mode=MODES)
def test_a_bias(mode):
    x = tf.zeros([4, 3])
    found = mode.gradient(lambda b: tf.reduce_sum(x + b), [1.0, 2.0, 3.0])
    assert [*np.asarray(found)] == [4, 4, 4] and len(x) == 4


@says(
    "`unbroadcast` sums over …",
    "The result has …",
)
@over(mode=MODES)
def test_the_axes(mode):
    x, b = tf.ones([5, 4, 3]), tf.ones([4, 1])
    axes, _ = tf.raw_ops.BroadcastGradientArgs(s0=tf.shape(b), s1=tf.shape(x * b))
    assert [*axes.numpy()] == [0, 2] and b.shape[1] == 1
    found = mode.gradient(lambda b: tf.reduce_sum(x * b), b)
    assert same(found, np.full([4, 1], 15.0)) and found.shape == [4, 1]


@says(
    r"There is one $\d m_j$ …",
    "`unbroadcast` finds both …",
    "Solution: standardize, with …",
    "There are three differentials.",
    "You can write …",
    "All three gradients …",
)
@over(mode=[EAGER, AROUND], seed=st.integers(0, 99))
def test_solution(mode, seed):
    defined = program("solution.py")
    x, m = whole(seed, [2, 3]), whole(seed + 1, [3])
    s = tf.constant([[2.0], [4.0]], tf.float64)  # exact divisions
    found, own = (
        mode.gradients(f, x, m, s, loss=LOSSES["dense"])
        for f in (defined.standardize, defined.plain)
    )
    assert all(same(*pair, 1e-12) for pair in zip(found, own))
    upstream = np.array([[1, 2, 3], [4, 5, 6]])
    y = defined.plain(x, m, s)
    assert same(found[1], -np.sum(upstream / s, 0), 1e-12)
    assert same(found[2], -np.sum(upstream * y / s, 1, keepdims=True), 1e-12)


advice(
    "Write one differential …",
    "You need the …",
    "You also need …",
    "Predict the three shapes.",
    "Look at the shape …",
    "Look at the first …",
    r"Compare $B^{\T}$ times …",
    "Compare `downstream_b` with `autodiff`:",
    "Compare the shape …",
    "Fix: add the …",
    "Fix: multiply first, …",
    "Test with shapes …",
    "Fix: read the …",
)
pointer(
    "The program that …",
    "After this page …",
    "Predict: a bias.",
    "Predict: the axes.",
    "Derive: a mean …",
    "Make two quick …",
    "The line that …",
    "Deliberately wrong: a gradient [2, …",
    "Deliberately wrong: the …",
    "Deliberately wrong: three …",
    "Deliberately wrong: axes …",
    "Deliberately wrong: a gradient too …",
)

definition(
    "The types of …",
    "$k$ counts the …",
    "The program stores …",
    "Let `y = x + b`, …",
    "The loss is the sum …",
    "What is the …",
    "`x` has the …",
    "Over which axes …",
    "Derive the gradient …",
    "No element of …",
    "$s_i$ is the …",
    "Which sums does …",
)
