"""The claims of docs/systems/memory.md."""

import gc
import math
import weakref

import keras
import pytest
import tensorflow as tf
from tensorflow.python.eager import context
from tensorflow.python.framework import ops

from tests.harness import (
    BLOCKS,
    COMMON,
    EAGER,
    GRAPHS,
    INSIDE,
    MODES,
    NESTED,
    PERSISTENT,
    contrast,
    derivative,
    gradients_in_fit,
    message,
    program,
    same,
)


class Steps:
    """Steps of a chain, which count their runs and the results alive: now, at most."""

    def __init__(self, step=tf.sin):
        self._step, self.runs, self.alive, self.peak = step, 0, 0, 0

    def __call__(self, x, count=8):
        for _ in range(count):
            x = self._step(x)
            self.runs += 1
            self.alive += 1
            self.peak = max(self.peak, self.alive)
            weakref.finalize(x, self._drop)
        return x

    def _drop(self):
        self.alive -= 1


@pytest.mark.parametrize("persistent", [False, True], ids=["plain", "persistent"])
@pytest.mark.parametrize("wrap", [tf.recompute_grad, keras.remat])
@pytest.mark.parametrize("step", [tf.sin, tf.exp, lambda x: x * x])
def test_runs_again(step, wrap, persistent):
    steps, x = Steps(step), tf.constant(-0.5)
    with tf.GradientTape(persistent) as tape:
        tape.watch(x)
        y = wrap(steps)(x)
    assert steps.runs == 8
    assert steps.alive == 1  # the result y
    gradient = tape.gradient(y, x)
    with contrast("twice more"):
        assert steps.runs == 16
    assert same(gradient, EAGER.gradient(Steps(step), -0.5), 1e-6)
    with contrast("without tf.recompute_grad, too: it keeps 8, and runs none again"):
        plain = Steps(step)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = plain(x)
        assert plain.alive == 8
        assert tape.gradient(y, x) is not None and plain.runs == 8


def in_blocks(sizes, step=tf.sin, recompute=tf.recompute_grad, persistent=False):
    """Differentiate a chain in blocks, and return the peak, the runs, the gradient."""
    steps, x = Steps(step), tf.constant(0.5)
    with tf.GradientTape(persistent) as tape:
        tape.watch(x)
        y = x
        for size in sizes:
            y = recompute(lambda x, size=size: steps(x, size))(y)
    gradient = tape.gradient(y, x)
    return steps.peak, steps.runs, gradient


def without_blocks(n, step=tf.sin):
    """Count without recomputation."""
    return in_blocks([n], step, recompute=lambda function: function)


STEP = pytest.mark.parametrize("step", [tf.sin, tf.tanh, lambda x: x * x])


@STEP
@pytest.mark.parametrize("n", [16, 36, 64])
def test_equal_blocks(n, step):
    for k in (k for k in range(1, n + 1) if n % k == 0):
        peak, runs, gradient = in_blocks([k] * (n // k), step)
        assert peak == n // k + k and runs == 2 * n
        most, once, right = without_blocks(n, step)
        assert same(gradient, right, 1e-5)
        with contrast("without blocks, too: n are alive then, and each runs once"):
            assert (most, once) == (n, n)
        if k in (1, n):
            with contrast("always lower than without blocks"):
                assert peak == n + 1 > most
        if k * k == n:
            assert in_blocks([k] * k, step, persistent=True)[:2] == (2 * k, 2 * n)


LAYERS = {
    "Dense": lambda: keras.layers.Dense(3, activation="tanh"),
    "BatchNormalization": keras.layers.BatchNormalization,
    "LSTM": lambda: keras.layers.LSTM(2),
    "Sequential": lambda: keras.Sequential(
        [keras.layers.Dense(2), keras.layers.ReLU()]
    ),
}
XLA_GRAPH = tf.function(jit_compile=True)
AROUND = {"eager": lambda function: function, "graph": tf.function, "XLA": XLA_GRAPH}


def gradients_of(layer, function, x, watched=()):
    """Differentiate with respect to the input, trainable weights and other variables."""
    variables = [weight.value for weight in watched]
    with tf.GradientTape() as tape:
        tape.watch([x, *variables])
        loss = tf.reduce_sum(function(x) ** 2)
    return tape.gradient(loss, [x, *layer.trainable_variables, *variables])


CASES = [(name, place) for name in LAYERS for place in AROUND]
CASES.remove(("LSTM", "XLA"))  # Compiling its loops takes seconds.


@pytest.mark.parametrize("name, place", CASES)
def test_remat_is_recompute(name, place):
    around = AROUND[place]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tf, "recompute_grad", lambda f: ("wrapped", f))
        assert keras.remat(tf.sin) == ("wrapped", tf.sin)
    x = tf.reshape(tf.range(24.0) / 24, [2, 3, 4] if name == "LSTM" else [6, 4])
    layer = LAYERS[name]()
    recomputed = keras.remat(layer)
    unbuilt = around(lambda: gradients_of(layer, recomputed, x))()
    plain = gradients_of(layer, layer, x)
    assert None not in plain and len(plain) > 1
    assert same(unbuilt, plain, 1e-4)
    assert same(around(lambda: gradients_of(layer, recomputed, x))(), plain, 1e-4)
    outside = around(recomputed)
    assert same(gradients_of(layer, outside, x), plain, 1e-4)
    if name == "BatchNormalization":
        with contrast("all its weights, also moving averages that a tape watches"):
            averages = layer.non_trainable_weights
            assert None not in gradients_of(layer, layer, x, averages)
            results = around(lambda: gradients_of(layer, recomputed, x, averages))()
            assert results[-2:] == [None, None]


def product_of(factors, is_bound):
    """Multiply by each factor in a recomputed block, defined in a Python loop."""

    def unbound(x):
        for factor in factors:
            x = tf.recompute_grad(lambda x: factor * x)(x)
        return x

    def bound(x):
        for factor in factors:
            x = tf.recompute_grad(lambda x, factor=factor: factor * x)(x)
        return x

    return bound if is_bound else unbound


def without_autograph(function):
    """Wrap a function in a ``tf.function`` without AutoGraph."""
    return tf.function(function, autograph=False)


GRADIENT_WITHOUT_AUTOGRAPH = [
    lambda function: without_autograph(derivative(function)),
    lambda function: derivative(without_autograph(function)),
    lambda function: without_autograph(derivative(without_autograph(function))),
]
"""The tape inside the ``tf.function``, outside, and nested."""


@pytest.mark.parametrize("factors", [(2.0, 3.0, 5.0), (7.0, 0.5)], ids=str)
def test_last_value(factors):
    last, right = factors[-1] ** len(factors), math.prod(factors)
    late, bound = (product_of(factors, is_bound) for is_bound in (False, True))
    assert same(late(tf.constant(1.0)), right)
    assert same(
        [place.gradient(late, 1.0) for place in (EAGER, PERSISTENT)], [last] * 2
    )
    assert same(gradients_in_fit(late, 1.0), [last])
    for gradient in GRADIENT_WITHOUT_AUTOGRAPH:
        assert same(gradient(late)(tf.constant(1.0)), last)
    for place in GRAPHS:
        with contrast("in a tf.function with AutoGraph, too"):
            assert same(place.gradient(late, 1.0), right)
    with contrast("also if the lambda binds the factor as a default argument"):
        assert same(EAGER.gradient(bound, 1.0), right)
        assert same(gradients_in_fit(bound, 1.0), [right])
        for gradient in GRADIENT_WITHOUT_AUTOGRAPH:
            assert same(gradient(bound)(tf.constant(1.0)), right)


def cube(x):
    """Return x³."""
    return x**3


def in_branch(function):
    """Call the function in a branch."""
    return lambda x: tf.cond(tf.size(x) > 0, lambda: function(x), lambda: x)


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_recompute_in_a_branch(place):
    recomputed = tf.recompute_grad(cube)
    copied = in_branch(lambda x: recomputed(tf.identity(x)))
    assert same(place.gradient(copied, 0.5), 0.75, 1e-6)
    if place in MODES or "unknown" in place.name:
        error = message(place.gradient, in_branch(recomputed), 0.5)
        if "outside" in place.name or place is NESTED:
            assert error.startswith("AssertionError")
        else:
            with contrast("wherever the tape is"):
                assert not error


LOOKUPS = {
    "gather": lambda y: tf.gather(y, [0, 0]),
    "gather_nd": lambda y: tf.gather_nd(y, [[0], [0]]),
    "embedding_lookup": lambda y: tf.nn.embedding_lookup(y, [0, 0]),
}


@pytest.mark.parametrize("name", LOOKUPS)
@pytest.mark.parametrize("place", MODES, ids=str)
def test_recompute_lookup(place, name):
    lookup, recomputed = LOOKUPS[name], tf.recompute_grad(lambda x: x * x)
    x, right = [[1.0, 2.0], [3.0, 4.0]], [[4.0, 8.0], [0.0, 0.0]]
    with contrast("also if the output is multiplied by 1.0 before"):
        assert same(place.gradient(lambda x: lookup(1.0 * recomputed(x)), x), right)
    error = message(place.gradient, lambda x: lookup(recomputed(x)), x)
    if place in GRAPHS:
        assert error.startswith("TypeError") and "IndexedSlices" in error
    else:
        with contrast("eagerly, too"):
            assert not error
    if place is INSIDE:
        with contrast("along any axis"):
            columns = lambda x: tf.gather(recomputed(x), [0, 0], axis=1)
            assert same(place.gradient(columns, x), [[4.0, 0.0], [12.0, 0.0]])
        with contrast("without tf.recompute_grad, too"):
            assert same(place.gradient(lambda x: lookup(x * x), x), right)


def kept(operation, watched=1):
    """Tell whether the tape keeps the inputs of an operation, and its output.

    The negations keep nothing, so only the operation can keep these tensors alive.
    """
    starts = [tf.constant([[0.5, 0.25], [0.125, 1.0]]) for _ in range(2)]
    with tf.GradientTape() as tape:
        tape.watch(starts[:watched])
        inputs = [-start for start in starts]
        y = operation(*inputs)
        z = -y
    references = [weakref.ref(tensor) for tensor in (*inputs, y)]
    del inputs, y
    keeps = [reference() is not None for reference in references]
    assert tape.gradient(z, starts[0]) is not None
    return keeps


def test_type_of_operation():
    assert kept(lambda x, _: tf.sin(x)) == [True, False, False]
    assert kept(lambda x, _: tf.exp(x)) == [False, False, True]
    assert kept(lambda x, _: tf.transpose(x)) == [False, False, False]
    constant = tf.ones([2, 2])
    for operation in (tf.multiply, tf.matmul):
        for function in (operation, lambda x, c, f=operation: f(c, x)):
            assert kept(function, watched=1) == [True, True, False]
            with contrast("on which inputs are watched"):
                assert kept(function, watched=2) == kept(function, watched=1)
        with contrast("on what the gradient needs: here it needs only the constant"):
            keeps = kept(lambda x, _, f=operation: f(x, constant))
            assert keeps == [True, False, False]

            @tf.custom_gradient
            def needs(x, _, operation=operation):
                y = operation(tf.stop_gradient(x), constant)
                return y, lambda upstream: (operation(upstream, constant), None)

            assert kept(needs) == [False, False, False]


def chain_of(count, step=tf.sin):
    """Return a chain in which each step adds to its input."""

    def chain(x):
        for _ in range(count):
            x = x + step(x)
        return x

    return chain


def counted(name, function):
    """Count the operations of a type in the graph of a gradient.

    Args:
        name: of the type.
        function: takes and returns a matrix.

    Returns:
        The number in the graph as traced, and in the graph that ran.
    """

    @tf.function
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(function(x) ** 2)
        return loss, tape.gradient(loss, x)

    def count(graph):
        return sum(node.op == name for node in graph.node)

    x = tf.ones([2, 2])
    traced = count(gradient.get_concrete_function(x).graph.as_graph_def())
    context.enable_run_metadata()
    gradient(x)
    graphs = context.export_run_metadata().function_graphs
    context.disable_run_metadata()
    [ran] = {
        count(graph.post_optimization_graph)
        for graph in graphs
        if count(graph.pre_optimization_graph) == traced
    }
    return traced, ran


STEPS = {
    "Sin": tf.sin,
    "Cos": lambda x: tf.cos(2 * x),
    "Softmax": lambda x: tf.nn.softmax(x @ x),
}


@pytest.mark.parametrize("name", STEPS)
def test_merged(name):
    recomputing = program("systems/memory/checkpoint.py").checkpoint
    for count in (3, 8):
        chain = chain_of(count, STEPS[name])
        assert counted(name, chain) == (count, count)
        assert counted(name, recomputing(chain)) == (2 * count, count)
        with contrast("those of tf.recompute_grad, too"):
            traced, ran = counted(name, tf.recompute_grad(chain))
            assert traced == 2 * count
            assert ran >= 2 * count - 1  # the last result may not be needed


def checkpoint(function, compute, copy):
    """Recompute a function under a tape that watches what the forward pass computed."""

    @tf.custom_gradient
    def once(x):
        computed = compute(x)

        def grad(upstream):
            again = copy(computed)
            with tf.GradientTape() as tape:
                tape.watch(again)
                y = function(again)
            return tape.gradient(y, again, output_gradients=upstream)

        return function(tf.stop_gradient(computed)), grad

    return once


def itself(x):
    """Return the tensor itself, not a copy."""
    return x


MAPS = [place for place in BLOCKS if place.name.startswith("map_fn")]


@pytest.mark.parametrize("place", [*COMMON, *MAPS], ids=str)
def test_copy_in_grad(place):
    is_in_loop = place.name.startswith(("loop", "map_fn"))
    with_copy = checkpoint(cube, tf.identity, tf.identity)
    assert same(place.gradient(with_copy, 0.5), 0.75, 1e-6)
    without_copy = place.gradient(checkpoint(cube, tf.identity, itself), 0.5)
    if is_in_loop:
        assert same(without_copy, 0.0)
        with contrast("any captured tensor: a tape may watch the argument itself"):
            assert same(
                place.gradient(checkpoint(cube, itself, itself), 0.5), 0.75, 1e-6
            )
        with contrast("any captured tensor: a tape may watch a computed product"):
            doubled = checkpoint(cube, lambda x: 2.0 * x, itself)
            assert same(place.gradient(doubled, 0.5), 3.0, 1e-6)
    else:
        with contrast("everywhere: outside of a loop, this copy works"):
            assert same(without_copy, 0.75, 1e-6)


@pytest.mark.parametrize("requests", [1, 3])
@pytest.mark.parametrize("count", [2, 20])
@pytest.mark.parametrize("step", [tf.sin, tf.exp])
def test_until_deleted(step, count, requests):
    def numbers_alive(persistent):
        steps, x = Steps(step), tf.constant(0.1)  # pytest would keep a test's names
        with tf.GradientTape(persistent) as tape:
            tape.watch(x)
            y = steps(x, count)
        yield steps.alive
        for _ in range(requests if persistent else 1):
            tape.gradient(y, x)
        yield steps.alive
        del y
        yield steps.alive
        del tape
        yield steps.alive

    behind_block, asked, _, deleted = numbers_alive(False)
    assert (asked, deleted) == (1, 0)
    with contrast("until its block ends"):
        assert behind_block >= count - 1
    _, asked, without_target, deleted = numbers_alive(True)
    assert (asked, deleted) == (count, 0)
    with contrast("as long as its target exists"):
        assert without_target >= count - 1


def registered():
    """The names of the gradient functions that custom gradients have registered."""
    return {name for name in ops.gradient_registry.list() if "CustomGradient-" in name}


@pytest.mark.parametrize("calls", [1, 3])
@pytest.mark.parametrize("decorate", [tf.custom_gradient, tf.recompute_grad])
def test_stays_registered(calls, decorate):
    graphs = []

    def square(x):
        graphs.append(weakref.ref(tf.compat.v1.get_default_graph()))
        return x * x

    def repeated(function):
        def model(x):
            for _ in range(calls):
                x = function(x)
            return x

        return tf.function(model)

    by_rule = tf.custom_gradient(lambda x: (square(x), lambda upstream: upstream))
    decorated = by_rule if decorate is tf.custom_gradient else decorate(square)
    before = registered()
    model = repeated(decorated)
    model(tf.constant(3.0))
    left = registered() - before
    del model
    gc.collect()
    assert len(left) == calls and left <= registered()
    assert graphs[0]() is not None
    with contrast("as a tf.function without a custom gradient does"):
        graphs.clear()
        model = repeated(square)
        model(tf.constant(3.0))
        assert graphs[0]() is not None
        del model
        gc.collect()
        assert graphs[0]() is None
    with contrast("also a decorated function that runs eagerly"):
        before = registered()
        decorated(tf.constant(3.0))
        assert registered() == before


FAILING = {
    tf.map_fn: lambda row: tf.reshape(row, [3]),
    tf.scan: lambda _, row: tf.reshape(row, [3]),
    tf.foldl: lambda _, row: tf.reshape(row, [3]),
}
"""Loops, with a body that fails for rows of two elements."""
FUNCTIONS = [lambda x: x * x, lambda x: 2.0 * tf.sin(x)]


def reset():
    """Remove the caching device."""
    scope = tf.compat.v1.get_variable_scope()
    tf.function(lambda: scope.set_caching_device(None))()


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("loop", FAILING)
def test_device_stays(loop, function):
    recomputed = tf.recompute_grad(function)
    right = derivative(function)(tf.constant([3.0, 1.0]))
    gradient, x = derivative(recomputed), tf.constant([3.0, 1.0])
    fails = tf.function(lambda rows: loop(FAILING[loop], rows))
    try:
        assert message(fails, tf.ones([2, 2]))
        for _ in range(2):
            assert message(gradient, x).startswith("NotImplementedError: Caching dev")
        with contrast("also inside a tf.function"):
            assert same(tf.function(gradient)(x), right)
        with contrast("of all functions"):
            assert same(derivative(function)(x), right)
    finally:
        reset()
    assert same(gradient(x), right)
    with contrast("after a failure in eager mode, too"):
        assert message(lambda rows: loop(FAILING[loop], rows), tf.ones([2, 2]))
        assert same(gradient(x), right)
