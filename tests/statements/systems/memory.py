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
    "Each operation stands between two others of which the tape keeps nothing.",
    "Weak references tell what is alive when the program has let go of it:",
    "Of an operation its input is kept, or its output, or both, or nothing.",
    "The slope of a sine is made of its input, that of an exponential of its output; a sign and a transposition need neither.",
    "What the tape keeps of one operation: its input, its output, or nothing.",
    "of which the tape keeps nothing",
)
@over(
    case=[(each, [False, False]) for each in NEITHER]
    + [(each, [True, False]) for each in SHAPE + INPUT]
    + [(each, [False, True]) for each in OUTPUT]
)
def test_kept(case):
    operation, expected = case
    assert kept(operation) == expected


@says(
    "`x + 1` and `reduce_sum` keep their input for its shape: no value of it is in the gradient."
)
@over(operation=SHAPE, x=arrays((2, 2)))
def test_kept_for_its_shape(operation, x):
    assert kept(operation) == [True, False]
    assert same(EAGER.gradient(operation, x), tf.ones([2, 2]))


@says(
    "`3 * x` keeps `x` as well, though its gradient needs the 3 alone.",
    "Eagerly the type of the operation decides, not which of its inputs is watched.",
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
    "Therefore frozen layers cost memory: their gradient needs $W$ alone, and the tape keeps what each of them was given.",
    "A rule keeps what it closes over:",
    "Frozen layers need W alone, and the tape keeps their inputs as well.",
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


@says(
    "With the tape inside a `tf.function`, the backward pass reads none of them, rule or not."
)
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
    "Two steps, of which the first result is dropped and made again.",
    "It has two local factors, and they need $h$ and $x$:",
    "$h$ is a function of $x$.",
    "So $x$ is all that has to be kept, if $h$ is computed again before it is needed:",
    "In types: `grad :: upstream(y) → downstream(x)`, with `x` closed over.",
    "A rule that keeps x alone, and computes h again on the way back.",
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
    "`block` keeps its $h$; `recomputed` has let it go, and prints the one of its second run.",
    "`tf.stop_gradient` keeps the tape out of the first run.",
    "Without it the tape would keep everything, eagerly.",
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
    "The upstream gradients are the weights of the loss, 1 and 10.",
    "Both gradients are equal to the last digit.",
)
def test_the_trace():
    lines = trace("memory.py")
    assert lines.line("again")["upstream"] == [1, 10]
    one, other = lines.all("dy/dx")
    assert one == other


def checkpoint():
    return program("checkpoint.py").checkpoint


@says(
    "The same for a function of which nobody knows the inside: a tape in `grad` runs it again and differentiates it there.",
    "This rule is made of its argument, and has a second derivative.",
    "That of `tf.recompute_grad` raises here.",
    "On the other hand, it accepts variables, and `checkpoint` does not.",
    "recompute_grad in a few lines, and what its rule can do besides.",
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
    "A chain of 64 steps keeps 64 tensors until its gradient is asked for.",
    "In eight blocks of eight under `tf.recompute_grad` it has 16 at once, and runs each step twice.",
    "$n$ steps are cut into blocks of $k$.",
    "On the way back there are alive the ends of the $n / k$ blocks, and the $k$ steps of the one block that is run again:",
    "One block around everything has more at once than no block.",
    "A chain of 64 steps in blocks: what is alive at once, and what is run.",
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
    r"The fraction is 0 where $k^2 = n$, and positive elsewhere.",
    r"As many blocks as a block has steps are best: $2 \sqrt{n}$ tensors, for one more forward pass (Chen et al., 2016).",
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
    "A block may be cut again, down to single steps.",
    "One rule for the whole chain does it: `parts` says into how many each level is cut, and only the starts of the parts are kept.",
    "With $k$ levels of $q$ parts each, $q - 1$ starts are alive on each level, and each level runs all steps once more but for the last of its parts:",
    "To the starts `at once` adds the $y$ of the loss.",
    "Halves, $q = 2$, make the memory the logarithm of the depth:",
    "A chain that is reversed in levels of parts, with what it keeps and runs.",
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
    "Two plots over the depth n from 4 to 1024, all axes logarithmic; marks are counted, lines are theory, and the marks are on them.",
    "Left, tensors alive at once: one level rises to 1023, two levels to 62, halves to 10.",
    "Right, steps run: at the right end one level has 2.0 steps for each of the chain's, two levels 2.9, halves 6.0.",
    "Tensors alive at once and steps run, as a chain gets deeper; with theory.",
    "The program that counts and draws",
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
    "With $r$ for how often a step may run again, at most so many steps can be reversed.",
    "With the smallest such $r$, the steps of $n$ that run again are (Griewank and Walther, 2000):",
    "`plan` finds the best schedule by trying all, and the rule runs it:",
    "Counted runs and formula agree in each row.",
    "A chain reversed with s snapshots: Revolve's schedule, run and counted.",
    "The fewest steps that run again, and how far to the next snapshot.",
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
    "56 is a binomial coefficient itself, so that $s = 1$, $3$ and $5$ reach it exactly.",
    "Three snapshots instead of 56 cost less than four more forward passes.",
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
    "`keras.remat` is `tf.recompute_grad` with TensorFlow as backend.",
    "Around a layer it has gradients for its weights as well:",
    "The second run draws other numbers.",
    "Dropout multiplies by another mask; noise that is added does no harm here, since no slope of the block depends on it.",
    "Batch normalization has the right gradient, and its averages move twice.",
    "The seeds of dropout and noise move twice as well.",
    "keras.remat around layers: the gradients and the state, against without.",
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


@says("Dropout in a recomputed block: the seed is drawn once, outside.")
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
    "TensorFlow rewrites a graph before it runs, and merges operations that are equal.",
    "The second run of `checkpoint` is equal to the first:",
    "`tf.recompute_grad` adds to its inputs a zero that depends on upstream, and stays apart; the last step need not run again.",
    "So `checkpoint` is for eager mode: in a graph it saves nothing.",
    "Steps that a graph runs, as traced and after TensorFlow's rewriting.",
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
    "Each trace of a rule leaves an entry behind, which holds its graph for the life of the process:",
    "`tf.recompute_grad` is a rule within a rule, and makes two entries.",
    "A function that is traced over and over grows with them.",
    "What each trace leaves: entries in TensorFlow's registry of rules.",
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
    "A chain whose steps differ, so that a block that runs with the wrong ones shows; along a random direction, against central differences in float64:",
    "The schedules against the plain chain and against central differences.",
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
    "The price is that a block has to do the same when it runs again: behind a lambda in a loop the gradient is eagerly 125 where 30 is right, and dropout draws another mask, both without a word.",
    "A lambda in a loop.",
    "Python looks `factor` up when the lambda runs, and it runs again after the loop has ended.",
    "Eagerly the value is right, and each block has the slope of the last:",
    "In a `tf.function` AutoGraph makes the body of the loop a function, with a `factor` for each round, and the gradient is right; without AutoGraph it is wrong there as well.",
    "Wrong on purpose: lambdas in a loop, which all run the last step again.",
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
    "A chain of 1000 steps has room for 40 tensors beside its input and its loss.",
    "A level of $q$ parts keeps $q - 1$ starts and costs $1 - 1 / q$ of a forward pass.",
    "Two levels cannot do it: 25 and 40 keep 63.",
    "Of three, the program tries all that divide 1000.",
    "Cuts of 1000 steps into levels: the cheapest that keep at most 40.",
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
    "This page counts what is kept, derives the size of the blocks, and goes on to schedules that need less.",
    "Which way of writing a gradient keeps what, is in when to write a rule.",
    "In the catalogue are: a closed-over or keyword tensor gets None, keywords in a graph, a block around the whole model, a Lambda layer that loses its weights, RematScope and a persistent tape.",
)
advice(
    "You need the four steps from the chain rule and what a tape records, from the tape.",
    "What is drawn or counted belongs outside.",
    "Draw the seed there, and let the block have a stateless operation:",
    "Bind what the block reads when it is made, by a default or by a function around it.",
)
definition(
    "Of arrays of one shape, element by element:",
)
