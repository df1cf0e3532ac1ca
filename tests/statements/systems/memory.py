"""What the page on memory and recomputation in systems says in words."""

import collections
import functools
import gc
import math
import weakref

import keras
from tensorflow.python.eager import context

from truth.statements.tries import *


class Steps:
    """Steps of a chain, and how many of their results are alive."""

    def __init__(self, step=tf.sin):
        self.step, self.run, self.alive, self.most = step, 0, 0, 0

    def __call__(self, x, count=1):
        for _ in range(count):
            x = self.step(x)
            self.run += 1
            self.alive += 1
            self.most = max(self.most, self.alive)
            weakref.finalize(x, self.gone)
        return x

    def gone(self):
        self.alive -= 1


def taped(function, x=1.0):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape, y, x


def kept(operation):
    """Whether the tape keeps the input of an operation, and its output."""
    start = tf.constant([[0.5, 0.25], [0.125, 1.0]])
    with tf.GradientTape() as tape:
        tape.watch(start)
        x = -start
        y = operation(x)
        end = -y
    alive = weakref.ref(x), weakref.ref(y)
    del x, y
    found = [each() is not None for each in alive]
    tape.gradient(end, start)
    return found


# What the tape keeps.

NEITHER = [tf.negative, tf.transpose]
SHAPE = [lambda x: x + 1.0, tf.reduce_sum]
INPUT = [tf.sin, tf.square, lambda x: 3.0 * x, lambda x: x @ tf.ones([2, 2])]
OUTPUT = [tf.exp, tf.tanh, tf.nn.softmax, tf.nn.relu]


@says(
    "Each operation stands …",
    "Weak references tell …",
    "Of an operation …",
    "The slope of …",
    "What the tape …",
    "of which the …",
)
@over(
    case=[(each, [False, False]) for each in NEITHER]
    + [(each, [True, False]) for each in SHAPE + INPUT]
    + [(each, [False, True]) for each in OUTPUT]
)
def test_kept(case):
    operation, expected = case
    assert kept(operation) == expected


@says("`x + 1` …")
@over(operation=SHAPE, x=arrays((2, 2)))
def test_kept_for_its_shape(operation, x):
    assert kept(operation) == [True, False]
    assert same(EAGER.gradient(operation, x), tf.ones([2, 2]))


@says(
    "`3 * x` …",
    "Eagerly the type …",
)
@over(operation=[tf.multiply, tf.matmul])
def test_type_decides(operation):
    constant = tf.constant([[3.0, 1.0], [0.0, 2.0]])
    assert kept(lambda x: 3.0 * x) == [True, False]
    assert kept(lambda x: operation(x, constant)) == [True, False]
    assert kept(lambda x: operation(constant, x)) == [True, False]


def stack(count):
    W = tf.Variable(tf.ones([4, 4]) / 4.0, trainable=False)
    steps = Steps(lambda x: x @ W)
    return steps, W, lambda x: steps(x, count)


@says(
    "Therefore frozen layers …",
    "A rule keeps …",
    "Frozen layers need …",
)
@over(count=[2, 6])
def test_frozen(count):
    x, (steps, W, layers) = [[1.0, 2.0, 3.0, 4.0]], stack(count)

    @tf.custom_gradient
    def frozen(x):
        def grad(upstream):
            for _ in range(count):
                upstream = upstream @ tf.transpose(W)
            return upstream

        return layers(tf.stop_gradient(x)), grad

    tape, y, at = taped(layers, x)
    right = tape.gradient(y, at)
    del tape, y
    tape, y, at = taped(layers, x)
    assert steps.alive == count
    del tape, y
    tape, y, at = taped(frozen, x)
    assert steps.alive == 1 and same(tape.gradient(y, at), right, 1e-6)


@says("With the tape …")
@over(by_rule=[True, False])
def test_frozen_in_a_graph(by_rule):
    read, W = [], program("frozen.py").W

    def run(x):
        inner = [x]

        def layers(x):
            for _ in range(6):
                x = x @ W
                inner.append(x)
            return x

        @tf.custom_gradient
        def frozen(x):
            return layers(x), lambda upstream: upstream @ tf.transpose(W)

        with tf.GradientTape() as tape:
            tape.watch(x)
            y = frozen(x) if by_rule else layers(x)
        uses = [len(each.consumers()) for each in inner]
        assert tape.gradient(y, x) is not None
        read.extend(len(each.consumers()) - n for each, n in zip(inner, uses))

    tf.function(run)(tf.ones([2, 4]))
    assert read == [0] * 7


# The rule.


@says(
    "Two steps, of …",
    "It has two …",
    "$h$ is a …",
    "So $x$ is …",
    "In types: `grad :: upstream(y) → downstream(x)`, …",
    "A rule that …",
)
@over(mode=MODES, x=arrays(3, numbers(-5, 5)))
def test_recomputed(mode, x):
    recomputed = rule()
    found = mode.gradient(recomputed, x, LOSSES["dense"])
    own = mode.gradient(lambda x: tf.sin(tf.sin(x)), x, LOSSES["dense"])
    assert np.allclose(found, own, 1e-5, 1e-6)


def rule(before=tf.stop_gradient, seen=None):
    @tf.custom_gradient
    def recomputed(x):
        h = tf.sin(before(x))
        if seen is not None:
            seen.append(weakref.ref(h))

        def grad(upstream):
            return upstream * tf.cos(tf.sin(x)) * tf.cos(x)

        return tf.sin(h), grad

    return recomputed


@says(
    "`block` keeps its …",
    "`tf.stop_gradient` keeps the …",
    "Without it the …",
)
@over(before={"stopped": tf.stop_gradient, "as it is": tf.identity})
def test_kept_by_the_rule(before):
    seen = []
    recorded = taped(rule(before, seen))
    assert recorded and (seen[0]() is not None) == (before is tf.identity)
    lines = trace("memory.py")
    assert [each.numbers[0] for each in lines if "kept" in each.text] == [1, 0]
    assert same(lines.line("again")["again h"], np.sin([0.5, 1.0]), 1e-6)


@says(
    "The upstream gradients …",
    "Both gradients are …",
)
def test_the_trace():
    lines = trace("memory.py")
    assert lines.line("again")["upstream"] == [1, 10]
    one, other = lines.all("dy/dx")
    assert one == other


def checkpoint():
    return program("checkpoint.py").checkpoint


@says(
    "The same for …",
    "This rule is …",
    "That of `tf.recompute_grad` …",
    "On the other …",
    "recompute_grad in a …",
)
@over(mode=[EAGER, INSIDE, XLA], function=[tf.tanh, tf.exp, lambda x: x**3])
def test_checkpoint(mode, function):
    steps = Steps(function)
    found = EAGER.gradient(checkpoint()(steps), 0.5)
    assert steps.run == 2 and same(found, EAGER.gradient(function, 0.5), 1e-6)

    def first(function):
        return derivative(function, lambda y: y**2)

    right = mode.gradient(first(function), 0.5)
    assert same(mode.gradient(first(checkpoint()(function)), 0.5), right, 1e-5)
    again = tf.recompute_grad(function)
    assert "tried to transpose" in message(mode.gradient, first(again), 0.5)
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.recompute_grad(lambda x: x * v)(tf.constant(0.5))
    said = message(mode.gradient, checkpoint()(lambda x: x * v), 0.5)
    assert same(tape.gradient(y, v), 0.5) and "must accept keyword argument" in said


# Schedules.


def in_blocks(steps, n, k):
    def run(x):
        for _ in range(n // k):
            x = tf.recompute_grad(lambda x: steps(x, k))(x)
        return x

    return run


def counted(way, steps):
    """What is alive at once, and the gradient."""
    tape, y, x = taped(way)
    return tape.gradient(y, x), steps.most


@says(
    "A chain of 64 steps keeps …",
    "In eight blocks …",
    "$n$ steps are …",
    "On the way …",
    "One block around …",
    "A chain of 64 steps in …",
)
@over(size=[(64, 8), (64, 64), (64, 1), (60, 5), (36, 6)])
def test_blocks(size):
    n, k = size
    plain, blocked = Steps(), Steps()
    slope, most = counted(lambda x: plain(x, n), plain)
    again, at_once = counted(in_blocks(blocked, n, k), blocked)
    assert most == plain.run == n and same(slope, again, 1e-6)
    assert at_once == n // k + k and blocked.run == 2 * n
    assert program("blocks.py").most(n, k) == at_once
    assert (at_once > most) == (k in (1, n))


@says(
    "The fraction is …",
    "As many blocks …",
)
@over(n=st.integers(1, 40).map(lambda root: root**2), k=st.integers(1, 1600))
def test_best_blocks(n, k):
    most = program("blocks.py").most
    root = math.isqrt(n)
    assert most(n, root) == 2 * root
    assert (most(n, k) > 2 * root) == (k != root)


def levels(parts):
    """What a chain that is cut so keeps beside its output, and how often it steps."""
    defined = program("levels.py")
    defined.count.update(run=0, alive=0, most=0)
    tape, y, x = taped(defined.chain(parts))
    slope = tape.gradient(y, x)
    return slope, defined.count["most"], defined.count["run"]


@says(
    "A block may …",
    "One rule for …",
    "With $k$ levels …",
    "To the starts …",
    "Halves, $q = 2$, …",
    "A chain that …",
)
@over(q=[2, 3, 5], k=[1, 2, 3])
def test_levels(q, k):
    n = q**k
    slope, most, run = levels([q] * k)
    assert most == k * (q - 1) + 1 and run == n + k * (n - n // q)
    steps = Steps()
    assert same(slope, counted(lambda x: steps(x, n), steps)[0], 1e-5)
    if q == 2:
        assert most - 1 == math.log2(n)


@says(
    "Two plots over …",
    "Left, tensors alive …",
    "Right, steps run: …",
    "Tensors alive at …",
    "The program that …",
)
def test_the_figure():
    left, right = drawn("figure.py")[0].axes
    for plot in (left, right):
        assert plot.get_xscale() == plot.get_yscale() == "log"
        for line, marks in zip(plot.lines[::2], plot.lines[1::2]):
            assert np.allclose(line.get_ydata(), marks.get_ydata())
            assert [*marks.get_xdata()] == [4, 16, 64, 256, 1024]
    assert [each.get_ydata()[-1] for each in left.lines[1::2]] == [1023, 62, 10]
    ends = [each.get_ydata()[-1] / 1024 for each in right.lines[1::2]]
    assert np.allclose(ends, [2.0, 2.9, 6.0], atol=0.05)


@functools.cache
def fewest(n, s):
    """Griewank's recursion, of costs alone."""
    if n == 1 or s == 0:
        return 0 if n == 1 else math.inf
    return min(j + fewest(n - j, s - 1) + fewest(j, s) for j in range(1, n))


@says(
    "With $r$ for …",
    "With the smallest …",
    "`plan` finds the …",
    "Counted runs and …",
    "A chain reversed …",
    "The fewest steps …",
)
@over(s=[1, 2, 3, 5], n=[2, 7, 20, 35])
def test_revolve(s, n):
    defined = program("revolve.py")
    r = next(r for r in range(n) if math.comb(s + r, s) >= n)
    assert defined.plan(n, s)[0] == fewest(n, s) == r * n - math.comb(s + r, s + 1)
    defined.reverse.__globals__["again"] = again = collections.Counter()
    found = defined.reverse(tf.constant(1.0), 0, n, s, tf.constant(1.0))
    steps = Steps()
    assert same(found, counted(lambda x: steps(x, n), steps)[0], 1e-5)
    assert sum(again.values()) == fewest(n, s)
    assert math.comb(s + max(again.values()), s) >= n
    for row in trace("revolve.py"):
        assert row["run again"] == row["formula"]


@says(
    "56 is a …",
    "Three snapshots instead …",
)
def test_rows_of_revolve():
    rows = {row["s"]: row for row in trace("revolve.py")}
    assert math.comb(8, 3) == math.comb(8, 5) == 56
    assert rows[3]["reach"] == rows[5]["reach"] == 56
    assert 3 * 56 < rows[3]["run again"] < 4 * 56


# Layers.

X = tf.random.stateless_normal([16, 4], seed=[1, 2])


def of_layer(make, wrap):
    keras.utils.set_random_seed(0)
    layer = make()
    layer.build(X.shape)
    with tf.GradientTape() as tape:
        tape.watch(X)
        loss = tf.reduce_sum(wrap(lambda x: layer(x, training=True))(X) ** 2)
    slopes = tape.gradient(loss, [X, *layer.trainable_variables])
    return slopes, [np.array(each) for each in layer.non_trainable_variables]


def near_all(one, other):
    return all(np.allclose(a, b, 1e-3, 1e-3) for a, b in zip(one, other, strict=True))


@says(
    "`keras.remat` is `tf.recompute_grad` …",
    "Around a layer …",
    "The second run draws …",
    "Dropout multiplies by …",
    "Batch normalization has …",
    "The seeds of …",
    "keras.remat around layers: …",
)
@over(
    wrap=[keras.remat, tf.recompute_grad],
    case={
        "dense": (lambda: keras.layers.Dense(4, activation="tanh"), True, True),
        "normalized": (keras.layers.LayerNormalization, True, True),
        "batch": (keras.layers.BatchNormalization, True, False),
        "noise": (lambda: keras.layers.GaussianNoise(1.0, seed=1), True, False),
        "dropout": (lambda: keras.layers.Dropout(0.5, seed=1), False, False),
    },
)
def test_layers(wrap, case):
    make, right, stays = case
    slopes, state = of_layer(make, lambda f: f)
    again, after = of_layer(make, wrap)
    assert None not in again and near_all(slopes, again) == right
    assert (not state or near_all(state, after)) == stays
    if not stays:
        twice = of_layer(make, lambda f: lambda x: (f(x), f(x))[0])[1]
        assert near_all(twice, after)


@says("Dropout in a …")
@over(wrap={"eager": lambda f: f, "graph": tf.function})
def test_seed(wrap):
    found = []
    for recompute in (lambda f: f, keras.remat):
        keras.utils.set_random_seed(0)
        block = program("seed.py").Block(recompute)

        def slopes(block=block):
            with tf.GradientTape() as tape:
                tape.watch(X)
                loss = tf.reduce_sum(block(X) ** 2)
            return tape.gradient(loss, [X, *block.trainable_variables])

        slopes()
        found.append(wrap(slopes)())
    assert near_all(*found)


# Graphs.


def ran(way):
    """How many sines a graph has, as traced and as rewritten."""

    @tf.function
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = way(x) ** 2
        return loss, tape.gradient(loss, x)

    x = tf.constant(1.0)
    defined = program("graph.py")
    traced = defined.sines(slope.get_concrete_function(x).graph.as_graph_def())
    context.enable_run_metadata()
    slope(x)
    [graph] = context.export_run_metadata().function_graphs
    context.disable_run_metadata()
    return traced, defined.sines(graph.post_optimization_graph)


@says(
    "TensorFlow rewrites a …",
    "The second run of …",
    "`tf.recompute_grad` adds to …",
    "So `checkpoint` is …",
    "Steps that a …",
)
@over(count=[3, 8])
def test_merged(count):
    def steps(x):
        for _ in range(count):
            x = x + tf.sin(x)
        return x

    twice = ran(lambda x: tf.sin(x + 1.0) + tf.sin(x + 1.0))
    assert twice == (2, 1) and ran(steps) == (count, count)
    assert ran(checkpoint()(steps)) == (2 * count, count)
    assert ran(tf.recompute_grad(steps)) == (2 * count, 2 * count - 1)


@says(
    "Each trace of …",
    "`tf.recompute_grad` is a …",
    "A function that …",
    "What each trace …",
    "no word on retracing",
)
@over(traces=[1, 4])
def test_traces(traces):
    defined = program("traces.py")
    for function, each in (
        (defined.square, 0),
        (defined.with_rule, 1),
        (tf.recompute_grad(defined.square), 2),
    ):
        before, graphs = defined.rules(), []

        def noted(x, function=function, graphs=graphs):
            graphs.append(weakref.ref(tf.compat.v1.get_default_graph()))
            return function(x)

        for _ in range(traces):
            raised(defined.trace, noted)
        gc.collect()
        assert defined.rules() - before == each * traces == len(graphs) * each
        assert all((graph() is not None) == (each > 0) for graph in graphs)


# The check, and where it breaks.


@says(
    "A chain whose …",
    "The schedules against …",
)
def test_the_check():
    defined = program("check.py")
    x, upstream = tf.ones([5], tf.float64), tf.range(5, dtype=tf.float64)
    plain = defined.gradient(lambda x: defined.steps(x, 0, 16), x, upstream)
    for function in (defined.blocks, defined.halves):
        assert same(defined.gradient(function, x, upstream), plain, 1e-9)
    assert not near_all([defined.step(x, 0)], [defined.step(x, 1)])

    def unbound(x):
        for at in range(0, 16, 4):
            x = tf.recompute_grad(lambda x: defined.steps(x, at, 4))(x)
        return x

    assert not same(defined.gradient(unbound, x, upstream), plain, 1e-3)
    assert all("True" in line.text for line in trace("check.py"))


@says(
    "The price is …",
    "A lambda in …",
    "Python looks `factor` …",
    "Eagerly the value …",
    "In a `tf.function` …",
    "Wrong on purpose: …",
    was="'the gradient is 125': 30 in each mode with AutoGraph",
)
@over(mode=MODES, w=[[2.0, 3.0, 5.0], [7.0, 0.5]])
def test_last(mode, w):
    def chain(x):
        for factor in w:
            x = tf.recompute_grad(lambda x: factor * x)(x)
        return x

    def bound(x):
        for factor in w:
            x = tf.recompute_grad(lambda x, factor=factor: factor * x)(x)
        return x

    assert same(chain(tf.constant(1.0)), np.prod(w), 1e-6)
    wrong = w[-1] ** len(w)
    found = mode.gradient(chain, 1.0)
    assert same(found, wrong if mode in (EAGER, PERSISTENT) else np.prod(w), 1e-6)
    without = tf.function(derivative(chain), autograph=False)
    assert same(without(tf.constant(1.0)), wrong)
    assert same(mode.gradient(bound, 1.0), np.prod(w), 1e-6)
    assert trace("wrong/last.py").all("dy/dx") == [125, 30]
    masked = tf.recompute_grad(lambda x: tf.nn.dropout(x, 0.5))
    y, ones = [], tf.ones([200])
    slope = EAGER.gradient(lambda x: y.append(masked(x)) or y[0], ones)
    assert {*slope.numpy()} == {*y[0].numpy()} == {0.0, 2.0}
    assert not same(slope, y[0])


# The exercise.


@says(
    "A chain of 1000 …",
    "A level of …",
    "Two levels cannot …",
    "Of three, the …",
    "Cuts of 1000 …",
)
def test_exercise():
    defined = program("solution.py")
    pairs = [[q, 1000 // q] for q in range(1, 1001) if 1000 % q == 0]
    assert min(map(defined.most, pairs)) == defined.most([25, 40]) == 63 > 40
    found = [*defined.cuts(1000)]
    assert all(math.prod(parts) == 1000 for parts in found)
    fitting = [parts for parts in found if defined.most(parts) <= 40]
    best = min(fitting, key=defined.runs)
    assert best == [4, 10, 25]
    for parts in ([8], [2, 4], [2, 2, 2], [3, 5]):
        _, most, run = levels(parts)
        assert (most - 1, run) == (defined.most(parts), defined.runs(parts))


pointer(
    "This page counts …",
    "Which way of …",
    "In the catalogue …",
)
advice(
    "You need the …",
    "What is drawn …",
    "Draw the seed …",
    "Bind what the …",
)
definition(
    "Of arrays of …",
)
