"""What the page on memory and recomputation in systems says in words."""

import gc
import math
import weakref

import keras
from tensorflow.python.eager import context
from tensorflow.python.framework import op_callbacks
from tensorflow.python.framework.ops import gradient_registry

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
BOTH = [tf.reduce_max, lambda x: x**3.0]


@says(
    "Without recomputation, the …",
    "For each operation …",
    "For `x**3.0` and …",
    "It puts the operation …",
    "What the tape keeps depends …",
    "For a sine, …",
    "For an exponential, …",
    "For a negation …",
    "What does the …",
    "Then it deletes …",
    "the tape keeps nothing …",
)
@over(
    case=[(each, [False, False]) for each in NEITHER]
    + [(each, [True, False]) for each in SHAPE + INPUT]
    + [(each, [False, True]) for each in OUTPUT]
    + [(each, [True, True]) for each in BOTH],
)
def test_kept(case):
    operation, expected = case
    assert kept(operation) == expected


@says("For `x + 1` …", "The gradient needs none …")
@over(operation=SHAPE, x=arrays((2, 2)))
def test_kept_for_its_shape(operation, x):
    assert kept(operation) == [True, False]
    assert same(EAGER.gradient(operation, x), tf.ones([2, 2]))


@says(
    "For `3 * x`, …",
    "In eager mode, …",
    "The tape doesn't …",
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
    "That is why frozen …",
    "Their gradient needs …",
    "A custom gradient avoids …",
    "The tape then keeps …",
    "With the custom …",
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
    tape, y, at = taped(tf.custom_gradient(lambda x: (layers(x), lambda u: u)), x)
    assert steps.alive == count  # without tf.stop_gradient
    del tape, y
    tape, y, at = taped(frozen, x)
    assert steps.alive == 1 and same(tape.gradient(y, at), right, 1e-6)
    assert [each.numbers[:2] for each in trace("frozen.py")] == [[5, 5], [0, 5]]


@says("If you compute the gradient inside a `tf.function`, the …")
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
    "Take two steps, …",
    "The backward pass then computes …",
    "The differential has …",
    "Both factors stay …",
    "One needs $h$, …",
    "Because $h$ is …",
    "The type is …",
    "A gradient function that …",
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
    "The tape keeps the $h$ …",
    "The $h$ that `recomputed` …",
    "The trace shows …",
    "Because of `tf.stop_gradient`, …",
    "Without `tf.stop_gradient`, the …",
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
    "The gradients of the two …",
)
def test_the_trace():
    lines = trace("memory.py")
    assert lines.line("again")["upstream"] == [1, 10]
    one, other = lines.all("dy/dx")
    assert one == other


def checkpoint():
    return program("checkpoint.py").checkpoint


@says(
    "`checkpoint` below recomputes …",
    "Its `grad` runs …",
    "`checkpoint` has a …",
    "With `tf.recompute_grad`, computing …",
    "tf.recompute_grad in a …",
    "However, only `tf.recompute_grad` …",
)
@over(
    mode=[EAGER, INSIDE, AROUND, NESTED, XLA, AROUND_XLA],
    function=[tf.tanh, tf.exp, lambda x: x**3],
)
def test_checkpoint(mode, function):
    steps = Steps(function)
    found = EAGER.gradient(checkpoint()(steps), 0.5)
    assert steps.run == 2 and same(found, EAGER.gradient(function, 0.5), 1e-6)

    def first(function):
        return derivative(function, lambda y: y**2)

    ours, plain = first(checkpoint()(function)), first(function)
    found, right = mode.gradients(lambda x, y: ours(x) + plain(y), 0.5, 0.5)
    assert same(found, right, 1e-5)
    again = tf.recompute_grad(function)
    assert "tried to transpose" in message(mode.gradient, first(again), 0.5)
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.recompute_grad(lambda x: x * v)(tf.constant(0.5))
    said = message(mode.gradient, checkpoint()(lambda x: x * v), 0.5)
    assert same(tape.gradient(y, v), 0.5) and "must accept keyword argument" in said


@says(
    "Both calls of …",
    "Without the first, …",
    "Without the second, …",
    "A block in …",
    was="'a second derivative': 0 in map_fn without the copy in grad",
)
@over(mode=EVERYWHERE, copies=[(True, True), (False, True), (True, False)])
def test_copies(mode, copies):
    first, second = (tf.identity if each else lambda x: x for each in copies)

    def checkpoint(function):
        @tf.custom_gradient
        def once(x):
            x = first(x)

            def grad(upstream):
                copy = second(x)
                with tf.GradientTape() as tape:
                    tape.watch(copy)
                    again = function(copy)
                return tape.gradient(again, copy, output_gradients=upstream)

            return function(tf.stop_gradient(x)), grad

        return once

    def cube(x):
        return x**3

    if copies == (True, True):
        given = program("checkpoint.py").checkpoint(cube)
        recomputed = tf.recompute_grad(cube)
        found = mode.gradients(
            lambda x, y, z: checkpoint(cube)(x) + given(y) + recomputed(tf.identity(z)),
            0.5,
            0.5,
            0.5,
        )
        assert same(found, [0.75] * 3, 1e-6)
        assert same(mode.derivative(given, 0.5), 3.0, 1e-6)
        if mode.name == "branch, tape around":
            assert message(mode.gradient, recomputed, 0.5).startswith("AssertionError")
    elif not copies[0] and mode.name == "branch, tape around":
        said = message(mode.gradient, checkpoint(cube), 0.5)
        assert said.startswith("AssertionError")
    elif not copies[1] and mode.name.startswith("loop"):
        assert same(mode.gradient(checkpoint(cube), 0.5), 0.0)


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
    "With TensorFlow as …",
    "`Dropout` and `GaussianNoise` …",
    "With dropout in …",
    "Dropout then multiplies …",
    "Added noise does …",
    "But if a …",
    "Batch normalization has …",
    "The moving averages …",
    "Compare gradients and …",
    "The program compares the gradients and …",
)
@over(
    wrap=[keras.remat, tf.recompute_grad],
    case={
        "dense": (lambda: keras.layers.Dense(4, activation="tanh"), True, True),
        "normalized": (keras.layers.LayerNormalization, True, True),
        "batch": (keras.layers.BatchNormalization, True, False),
        "noise": (lambda: keras.layers.GaussianNoise(1.0, seed=1), True, False),
        "noise, then tanh": (
            lambda: keras.Sequential(
                [
                    keras.layers.GaussianNoise(1.0, seed=1),
                    keras.layers.Dense(4, activation="tanh"),
                ]
            ),
            False,
            False,
        ),
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


@says(
    "Wrap the function …",
    "For a Keras layer, …",
    "If you wrap …",
    "TensorFlow then keeps only the input …",
    "The price is time: …",
    "If you recompute everything, …",
)
@over(wrap=[keras.remat, tf.recompute_grad])
def test_wrapped_layer(wrap):
    def slopes(f):
        with tf.GradientTape() as tape:
            tape.watch(X)
            loss = tf.reduce_sum(f(X) ** 2)
        return tape.gradient(loss, [X, *layer.trainable_variables])

    layer = keras.layers.Dense(4, activation="tanh")
    layer.build(X.shape)
    right, found = slopes(layer), slopes(wrap(layer))
    assert len(found) == 3 and None not in found and near_all(right, found)
    steps = Steps(tf.sin)
    tape, y, x = taped(wrap(lambda x: steps(x, 8)))
    assert steps.alive == 1 and steps.run == 8  # y itself is alive
    assert tape.gradient(y, x) is not None and (steps.run - 8) / 8 == 1


@says("Dropout in a …", "The gradients of the recomputed …")
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
    assert all(each.text.endswith("True") for each in trace("seed.py"))


@says(
    "There is one …", "If the tape is outside a `tf.function` that …", "In `fit`, a …"
)
def test_layers_outside():
    """A mean that moves once, and a mask that is drawn twice."""
    means, ones = [], tf.ones([200, 4])
    for mode in (EAGER, AROUND, NESTED):
        norm = keras.layers.BatchNormalization()
        norm.build(ones.shape)
        call = keras.remat(lambda x, norm=norm: norm(x, training=True))
        mode.gradient(call, 1.0 * ones)
        means.append(norm.moving_mean.numpy()[0])
    assert np.allclose(means, [1 - 0.99**2, 0.01, 1 - 0.99**2], 1e-3)
    layer = keras.layers.Dropout(0.5, seed=1)
    seed = layer.seed_generator.state.numpy().copy()
    dropped = keras.remat(lambda x: layer(x, training=True))
    slope = AROUND.gradient(lambda x: dropped(x), ones)
    once = layer.seed_generator.state.numpy() - seed
    layer.seed_generator.state.assign(seed)
    assert not same(slope, layer(ones, training=True))
    assert same(once, layer.seed_generator.state.numpy() - seed)
    lines = trace("layers.py")
    assert "right" in lines.line("BatchNormalization").text
    assert "training=True" in source("layers.py")


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
    graphs = context.export_run_metadata().function_graphs
    context.disable_run_metadata()
    # Others may have run before: the metadata has those of the whole process.
    [rewritten] = {
        defined.sines(each.post_optimization_graph)
        for each in graphs
        if defined.sines(each.pre_optimization_graph) == traced
    }
    return traced, rewritten


@says(
    "Before TensorFlow runs …",
    "The program counts the sines …",
    "If you compute the gradient inside a `tf.function`, both …",
    "TensorFlow merges the …",
    "`tf.recompute_grad` prevents the …",
    "Only the last …",
    "The optimized graph contains …",
    "All 20 steps run …",
    "You change `steps` …",
    "How many steps are …",
)
@over(count=[3, 8, 20])
def test_merged(count):
    def steps(x):
        for _ in range(count):
            x = x + tf.sin(x)
        return x

    twice = ran(lambda x: tf.sin(x + 1.0) + tf.sin(x + 1.0))
    assert twice == (2, 1) and ran(steps) == (count, count)
    unequal = ran(lambda x: tf.sin(x + 1.0) + tf.sin(x + 2.0))
    assert unequal == (2, 2)  # equal operations, on other inputs
    assert ran(checkpoint()(steps)) == (2 * count, count)
    assert ran(tf.recompute_grad(steps)) == (2 * count, 2 * count - 1)


class Outputs:
    """How many numbers the calls of an eager program returned that are alive."""

    def __init__(self):
        self.now = 0

    def __call__(self, op_type, inputs, attrs, outputs, op_name=None, graph=None):
        for each in outputs if graph is None else []:
            size = math.prod(each.shape)
            self.now += size
            weakref.finalize(each, self.gone, size)

    def gone(self, size):
        self.now -= size


@says(
    "If the tape is outside the `tf.function`, however, …",
    "In this case, …",
    "The plain steps …",
    "Both recomputing versions …",
    "Count the numbers …",
    was="'in a graph it saves nothing': with the tape outside it does",
)
@over(count=[8, 20])
def test_kept_outside(count):
    def steps(x):
        for _ in range(count):
            x = x + tf.sin(x)
        return x

    kept = []
    for function in (steps, checkpoint()(steps), tf.recompute_grad(steps)):
        outside, meter, x = tf.function(function), Outputs(), tf.ones([1000])
        op_callbacks.add_op_callback(meter)
        try:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = outside(x)
            kept.append(meter.now)
        finally:
            op_callbacks.remove_op_callback(meter)
        assert tape.gradient(y, x) is not None
    assert kept == [1000 * (count + 1), 3 * 1000, 3 * 1000]


# A transformer, and the meter.


@says(
    "A block of a …",
    "In a transformer, recompute …",
    "For example, if you recompute …",
    "The program runs four blocks …",
    "Start with both …",
    "No choice in …",
    "In the output, the …",
    "The price is 1.35 …",
    "This choice needs …",
    "One `tf.recompute_grad` around …",
    "If time matters more, recompute only the mixing of …",
    "If time matters more, recompute only the mixing. …",
    "Running the mixing …",
    "If you recompute only …",
    "The gradients agree …",
    "Four transformer blocks …",
    "The function `meter` …",
    "Before `meter` records …",
    "It counts only …",
    "larger than the …",
    "TensorFlow then keeps one …",
    "frees tensors in …",
)
def test_transformer():
    defined = program("transformer.py")
    assert (defined.n, defined.width, defined.heads) == (128, 64, 4)
    rows = {each.text.split("  ")[0].strip(): each for each in trace("transformer.py")}
    assert len(rows) == 6
    assert all(each.text.endswith("True") for each in rows.values())
    kept, peak, products = (
        {name: each.numbers[at] for name, each in rows.items()} for at in range(3)
    )
    both, whole, none = "both parts", "whole block", "nothing"
    assert (peak[none], peak[both]) == (6.62, 2.39) and products[both] == 1.35
    assert min(peak.values()) == peak[both] == peak[whole]
    assert kept[both] == kept[whole] == 0
    before, x = defined.count["bytes"], tf.zeros([defined.n, defined.width])
    defined.meter("Sin", [x], (), [x])
    assert defined.count["bytes"] == before
    large = tf.zeros([defined.n, defined.width + 1])
    defined.meter("Sin", [x], (), [large])
    assert defined.count["bytes"] == before + 4 * defined.n * (defined.width + 1)
    assert products[whole] == products[both]
    assert products["mixing"] == min(each for each in products.values() if each > 1)
    for name in ("mlp", "attention"):
        assert peak[both] < peak[name] < peak["mixing"] < peak[none]
        assert products["mixing"] < products[name] < products[both]


@says(
    "Within the attention, …",
    "Recomputing the mixing …",
)
@over(n=[128, 256])
def test_scores(n):
    defined = program("transformer.py")
    q = tf.random.stateless_normal([4, n, 16], [1, 2])
    meter = Outputs()
    op_callbacks.add_op_callback(meter)
    try:
        tape, y, x = taped(lambda q: defined.mix(q, q, q), q)
        kept = meter.now
        del tape, y
        gone = meter.now
        tape, y, x = taped(lambda q: tf.recompute_grad(defined.mix)(q, q, q), q)
        again = meter.now - gone
    finally:
        op_callbacks.remove_op_callback(meter)
    assert tape.gradient(y, x) is not None
    assert 4 * n * n <= kept - again <= 3 * 4 * n * n


@says(
    "The number to …",
    "There are three …",
    "CPU, eager mode — …",
    "On most machines …",
)
def test_meter():
    """One machine had statistics where the others raised: it is no measure."""
    said = message(tf.config.experimental.get_memory_info, "CPU:0")
    assert not said or said.startswith("ValueError: Allocator stats not available")
    meter = Outputs()
    op_callbacks.add_op_callback(meter)
    try:
        x = tf.ones([10])
        y = -x
        assert meter.now == 20 and y is not None
        del x
        assert meter.now == 10
    finally:
        op_callbacks.remove_op_callback(meter)
    assert "op_callbacks.add_op_callback(meter)" in source("transformer.py")


def entries():
    return sum(name.startswith("CustomGradient-") for name in gradient_registry.list())


@says(
    "Each tracing of …",
    "`tf.recompute_grad` is a …",
)
@over(traces=[1, 4])
def test_traces(traces):
    custom = tf.custom_gradient(lambda x: (x * x, lambda upstream: 2.0 * x * upstream))
    traced = []
    for function, each in (
        (tf.square, 0),
        (custom, 1),
        (tf.recompute_grad(tf.square), 2),
    ):
        before, graphs = entries(), []

        def noted(x, function=function, graphs=graphs):
            graphs.append(weakref.ref(tf.compat.v1.get_default_graph()))
            return function(x)

        for _ in range(traces):
            raised(tf.function(derivative(noted)), tf.constant(3.0))
        assert entries() - before == each * traces == len(graphs) * each
        traced.append((graphs, each > 0))
    gc.collect()
    for graphs, kept in traced:
        assert all((graph() is not None) == kept for graph in graphs)


# Where it breaks.


@says(
    "A recomputed block …",
    "A lambda in …",
    "Python looks up …",
    "So in eager …",
    "The gradient is 125 …",
    "In a `tf.function`, …",
    "With `autograph=False`, the …",
    "The fix is to bind `factor` …",
    "Deliberately wrong: …",
    "You get $0.5 …",
    "The right gradient …",
    "A loop over …",
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

    assert w in ([2.0, 3.0, 5.0], [7.0, 0.5])
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


pointer(
    "After this page …",
    "When to write …",
    "The catalogue of …",
    "A captured or …",
    "A keyword argument …",
    "One block around the whole model …",
    "A Lambda layer …",
    "RematScope fails in …",
    "A persistent tape …",
    "The page How many checkpoints …",
    "It also checks …",
    "This program tries …",
    "Look at whether …",
    "The program compares the plain …",
    "Compare how many results …",
    "Look at how many `h` …",
    "Look at how many numbers …",
    "Compare the first …",
    "Compare the peaks with …",
    "Compare `steps traced` …",
)
advice(
    "You need the …",
    "You should also …",
    "Measure the peak …",
    "GPU — call …",
    "CPU, graph or XLA — …",
    "On a CPU, don't rely …",
    "Measure the second …",
    "So leave dropout …",
    "Bind the loop …",
    "Therefore draw random …",
    "This program draws …",
    "Make two quick …",
)
definition(
    "So each formula …",
    "All arrays have …",
)
