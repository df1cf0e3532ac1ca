"""What the page on memory and recomputation says in words."""

import functools
import gc
import weakref

import keras
import pytest
from tensorflow.python.framework import func_graph, ops

from truth.statements.tries import *

pointer(
    "The table covers …",
    "If recomputation makes …",
    "Asked in tensorflow#36168.",
    "Asked in tensorflow#36981.",
    "Asked in tensorflow#30418.",
    "Asked in tensorflow#97697, tensorflow#27492.",
    "Asked in keras#21207.",
    "Asked in elasticdl#1144.",
    "More: memory.",
    "More: Keras.",
    "no warnings on retracing",
)


@says(
    "The programs count …",
    "These numbers are …",
)
def test_counted():
    names = ("keeps", "whole", "registry", "persistent", "saved")
    for name in names:
        numbers = [n for line in trace(f"wrong/{name}.py") for n in line.numbers]
        assert numbers and all(n == int(n) for n in numbers)


# What a tape keeps.


class Steps:
    """Some steps, and how many of their results are alive."""

    def __init__(self, count=20, step=tf.sin):
        self.seen, self.alive, self.count, self.step = [], [], count, step

    def __call__(self, x):
        for _ in range(self.count):
            x = self.step(x)
            self.seen.append(weakref.ref(x))
            self.alive.append(self.kept)
        return x

    @property
    def kept(self):
        return sum(each() is not None for each in self.seen)


def taped(function, persistent=False):
    x = tf.constant(1.0)
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        y = function(x)
    return tape, y, x


@says(
    "In eager mode, the tape …",
    "The tape keeps …",
    "The decorated function …",
    "Deliberately wrong: a custom gradient that …",
    "Fix: put `tf.stop_gradient` …",
    "Or use `tf.recompute_grad` …",
    "This program compares both …",
    "With either fix, …",
    "In this program, a …",
    "A custom gradient doesn't …",
    "In eager mode, a custom gradient keeps …",
    "Look at how many of the 20 …",
    "Deliberately wrong: a custom gradient that …",
    "Two fixes: stop …",
)
@over(count=[5, 20])
def test_keeps(count):
    def by_rule(steps, before):
        return tf.custom_gradient(
            lambda x: (steps(before(x)), lambda upstream: upstream)
        )

    for before, expected in ((lambda x: x, count), (tf.stop_gradient, 1)):
        steps = Steps(count)
        tape, y, x = taped(by_rule(steps, before))
        assert steps.kept == expected
        walked = len(steps.seen)
        assert same(tape.gradient(y, x), 1.0) and len(steps.seen) == walked
    steps = Steps(count)
    tape, y, x = taped(tf.recompute_grad(steps))
    assert steps.kept == 1
    plain, z, at = taped(Steps(count))
    assert same(tape.gradient(y, x), plain.gradient(z, at), 1e-6)
    assert len(steps.seen) == 2 * count
    plain, *fixes = trace("keeps.py")
    assert len(fixes) == 2 and [each.numbers[0] for each in fixes] == [1, 1]


@says(
    "When you compute …",
    "All 20 results …",
    "With one `tf.recompute_grad` …",
    "Fix: wrap each …",
    "In this program, each …",
    "`tf.recompute_grad` saves nothing — …",
    "The function `steps` …",
    "Look at how many of their …",
    "The number of results …",
    "Deliberately wrong: one …",
    "With recompute_grad around …",
)
@over(blocks=[2, 4, 5])
def test_whole(blocks):
    steps = Steps(20)
    tape, y, x = taped(tf.recompute_grad(steps))
    assert max(steps.alive) <= 2
    first_run = [each() is not None for each in steps.seen]
    assert first_run == [False] * 19 + [True]  # only its output is left
    steps.alive.clear()
    tape.gradient(y, x)
    assert max(steps.alive) == 21 and len(steps.seen) == 40
    whole, wrapped = trace("wrong/whole.py")
    assert (whole.numbers, wrapped.numbers) == ([20], [21])
    each_block = source("blocks.py").partition("lambda x: steps(x, ")[2]
    assert 21 - 20 == 1 and int(each_block.partition(")")[0]) == 5
    part = Steps(20 // blocks)

    def in_blocks(x):
        for _ in range(blocks):
            x = tf.recompute_grad(part)(x)
        return x

    tape, y, x = taped(in_blocks)
    tape.gradient(y, x)
    assert max(part.alive) <= 20 // blocks + blocks < 20


@says(
    "Fix: without XLA, …",
    "Does `tf.recompute_grad` save …",
    "The results that …",
    "The program counts …",
    "The backward pass …",
    "With `tf.recompute_grad`, the …",
    "recompute_grad in a …",
    "In a graph, a custom …",
)
@over(count=[5, 20])
def test_in_a_graph(count):
    def first_run(wrap):
        seen = []

        def steps(x):
            for _ in range(count):
                x = tf.sin(x)
                seen.append(x)
            return x

        def run(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = wrap(steps)(x)
            uses = [(each, len(each.consumers())) for each in seen]
            tape.gradient(y, x)
            read = [len(each.consumers()) > before for each, before in uses]
            return len(seen) // count, sum(read)

        found = []
        tf.function(lambda x: found.append(run(x)))(tf.constant(1.0))
        return found[0]

    assert first_run(lambda f: f) == (1, count - 1)
    assert first_run(tf.recompute_grad) == (2, 0)
    custom = tf.custom_gradient
    assert first_run(lambda f: custom(lambda x: (f(x), lambda up: 2.0 * up))) == (1, 0)


@says(
    "Under XLA, the …",
    "Under XLA, wrap …",
    "Wrap several blocks …",
    "So if the …",
    was="'recomputes as well': XLA merges the runs of one wrapped function",
)
@over(blocks=[1, 2])
def test_under_xla(blocks):
    def steps(x):
        for _ in range(8):
            x = tf.tanh(x)
        return x

    def model(x):
        for _ in range(blocks):
            x = tf.recompute_grad(steps)(x)
        return x

    @functools.partial(tf.function, jit_compile=True)
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = model(x)
        return y, tape.gradient(y, x)

    ir = slope.experimental_get_compiler_ir(tf.constant([0.5, 1.0]))
    counts = [ir(stage=each).count(" tanh(") for each in ("hlo", "optimized_hlo")]
    assert counts == [16 * blocks, 16 * blocks - 8]


@says(
    "You can compute …",
    "Memory isn't freed …",
    "A tape that isn't …",
    "The persistent tape still …",
    "Fix: `del tape` …",
    "This program deletes …",
    "After `del tape`, …",
    "Deliberately wrong: a persistent …",
    "The persistent tape is …",
)
@over(persistent=[True, False], asked=[1, 3])
def test_persistent(persistent, asked):
    steps = Steps()
    tape, y, x = taped(steps, persistent)
    for _ in range(asked if persistent else 1):
        tape.gradient(y, x)
    assert steps.kept == (20 if persistent else 1)
    del tape
    assert steps.kept == 1


@says(
    "The forward pass appends its …",
    "The forward pass appends a …",
    "If nothing computes …",
    "Without a gradient, …",
    "Compare training, which …",
    "Fix: keep the …",
    "Memory grows with each call — …",
    "In this program, the value …",
    "Nothing is kept …",
    "Deliberately wrong: the forward …",
    "Without a tape, a local …",
)
@over(with_tape=[True, False])
def test_saved(with_tape):
    defined, seen = program("wrong/saved.py"), []

    @tf.custom_gradient
    def local(x):
        y = tf.exp(x)
        seen.append(weakref.ref(y))
        return 1.0 * y, lambda upstream: upstream * y

    for function in (defined.exponential, local):
        for _ in range(3):
            if with_tape:
                tape, y, x = taped(function)
                assert seen == [] or seen[-1]() is not None
                tape.gradient(y, x)
                del tape, y
            else:
                function(tf.constant(1.0))
    assert len(defined.saved) == (0 if with_tape else 3)
    training, _, validation = source("wrong/saved.py").partition("after training")
    assert "tape.gradient" in training and "tape" not in validation
    assert [each() for each in seen] == [None] * 3


# What a trace leaves.


def rules():
    return {name for name in ops.gradient_registry.list() if "CustomGradient-" in name}


@says(
    "In a graph, each …",
    "TensorFlow 2.21 never …",
    "A fix is …",
    "The entry holds …",
    "Fix: trace once.",
    "In the signature, …",
    "Memory grows with each trace — …",
    "A function with …",
    "Five registry entries …",
    "This program traces …",
    "The signature with …",
    "Deliberately wrong: a custom gradient is traced …",
    "One graph for …",
)
@over(calls=[1, 3])
def test_registry(calls):
    graphs = []

    @tf.custom_gradient
    def square(x):
        graphs.append(weakref.ref(tf.compat.v1.get_default_graph()))
        return x * x, lambda upstream: upstream * 2.0 * x

    def model(x):
        for _ in range(calls):
            x = square(x)
        return x

    def plain(x):
        graphs.append(weakref.ref(tf.compat.v1.get_default_graph()))
        return x * x

    assert tf.__version__.startswith("2.21.")
    before = rules()
    tf.function(plain)(tf.constant(3.0))
    assert rules() == before
    of_plain = graphs.pop()
    square(tf.constant(3.0))
    assert rules() == before
    graphs.clear()
    tf.function(model)(tf.constant(3.0))
    gc.collect()
    left = rules() - before
    assert of_plain() is None
    assert len(left) == calls and isinstance(graphs[0](), func_graph.FuncGraph)
    for name in left:
        del ops.gradient_registry._registry[name]
    gc.collect()
    assert graphs[0]() is None
    any_length = tf.function(model, input_signature=[tf.TensorSpec([None], tf.float32)])
    for length in range(1, 4):
        any_length(tf.ones([length]))
    assert len(rules() - before) == calls


# recompute_grad.


@says(
    "The gradient function of …",
    "Forward mode calls …",
    "In a graph, a second …",
    "In eager mode, a second …",
    "Fix: differentiate the …",
    "`recompute_grad tried to transpose grad` — …",
    "The program uses …",
    "The message suggests …",
    "Forward mode through …",
    "Deliberately wrong: forward …",
)
@over(forward=FORWARDS, mode=[EAGER, INSIDE, AROUND])
def test_transpose(forward, mode):
    recomputed, slope = tf.recompute_grad(tf.tanh), 1 - np.tanh(0.5) ** 2
    if mode is EAGER:
        said = message(forward.jvp, lambda x: recomputed(x), 0.5)
        assert "recompute_grad tried to transpose grad of tanh" in said
        assert same(forward.jvp(tf.tanh, 0.5), slope, 1e-5)
    if forward is not FORWARDS[0]:
        return
    second = derivative(lambda x: recomputed(x))  # the upstream gradient is 1
    if mode is EAGER:
        assert same(mode.gradient(second, 0.5), -2 * np.tanh(0.5) * slope, 1e-5)
    else:
        assert "tried to transpose" in message(mode.gradient, second, 0.5)

    def squared(function):
        return lambda x: mode.gradient(lambda x: function(x) ** 2, x)

    assert "tried to transpose" in message(mode.gradient, squared(recomputed), 0.5)
    assert not message(mode.gradient, squared(tf.tanh), 0.5)


@says(
    "`tf.recompute_grad` returns a …",
    "Eager mode accepts …",
    "Fix: bind the …",
    "`currently supports keywords …",
    "This program recomputes …",
    "The call raises a `ValueError`.",
    "In this program, the keyword …",
    "The call raises no …",
    "A dropout of …",
    "Deliberately wrong: recompute_grad …",
    "The keyword is …",
)
@over(
    decorate={
        "recompute_grad": tf.recompute_grad,
        "custom_gradient": lambda f: tf.custom_gradient(
            lambda x, w: (f(x, w), lambda upstream: upstream * w)
        ),
    },
    mode=[EAGER, INSIDE, AROUND, XLA],
)
def test_keyword(decorate, mode):
    def product(x, w):
        return w * x

    def by_keyword(x, w):
        return decorate(product)(x, w=w)

    said = message(mode.gradients, by_keyword, 3.0, 2.0)
    if mode is EAGER:
        assert same(mode.gradients(by_keyword, 3.0, 2.0), [2.0, None])
    else:
        assert "keywords arguments only when eager" in said
    layer = keras.layers.Dropout(0.0)
    bound = functools.partial(layer, training=True)
    assert same(mode.gradient(lambda x: tf.recompute_grad(bound)(x), [3.0]), [1.0])
    assert same(layer(tf.constant([3.0]), training=True), [3.0])
    assert layer.rate == 0 and "Dropout(0.0)" in source("by_keyword.py")
    assert trace("by_keyword.py")[0].numbers == [1, 1, 1, 1]


@says(
    "Keras finds the …",
    "However, Keras doesn't …",
    "The result of `tf.recompute_grad(layer)` …",
    "The model ends …",
    "Compare the number …",
    "The model doesn't find …",
    "In this model, the …",
    "`fit` changes all …",
    "If `call` doesn't …",
    "Fix: write a layer …",
    "A recomputed layer isn't …",
    "Deliberately wrong: a layer …",
    "A layer that has the recomputed …",
    was="'the other one as an attribute': without training the gradient is wrong",
)
@over(
    case=[
        (keras.layers.BatchNormalization, [True, False]),
        (keras.layers.LayerNormalization, [True, True]),
    ]
)
def test_in_lambda(case):
    make, right = case

    class Attribute(keras.layers.Layer):
        def __init__(self, inner, passes=True):
            super().__init__()
            self.inner, self.passes = inner, passes

        def build(self, shape):
            self.inner.build(shape)

        def call(self, x, training=None):
            options = {"training": training} if self.passes else {}
            return tf.recompute_grad(lambda x: self.inner(x, **options))(x)

    def block():
        dense = keras.layers.Dense(2, kernel_initializer="ones")
        return keras.Sequential([keras.Input((2,)), dense, make()])

    def trained(layer, inner):
        model = keras.Sequential([keras.Input((2,)), layer])
        model.compile("sgd", "mse")
        x = np.random.default_rng(0).normal(1.0, 2.0, size=(8, 2)).astype("float32")
        if model.trainable_weights:
            model.fit(x, 10.0 * x, verbose=0)
        return len(model.trainable_weights), inner.layers[0].kernel.numpy()

    inner = block()
    count, plain = trained(inner, inner)
    assert count == 4
    found = []
    for passes in (True, False):
        inner = block()
        count, kernel = trained(Attribute(inner, passes), inner)
        assert count == 4 and not same(kernel, np.ones((2, 2)))
        found.append(np.allclose(kernel, plain, 1e-4, 1e-5))
    assert found == right
    inner = block()
    recomputed = tf.recompute_grad(inner)
    assert callable(recomputed) and not hasattr(recomputed, "weights")
    for function in (lambda x: inner(x), lambda x: recomputed(x)):
        assert trained(keras.layers.Lambda(function), inner)[0] == 0
    lost = trace("wrong/in_lambda.py")
    model, everything = (line.numbers[0] for line in lost)
    assert (model, everything, everything - model) == (2, 4, 2)
    assert trace("in_lambda.py")[0].numbers == [4, 4]


def _raises(loop):
    """What the variable scope has after a loop whose rows do not fit."""

    @tf.function
    def traced(x):
        return loop(x)

    with pytest.raises(ValueError):
        traced(tf.ones([2, 2]))
    return tf.compat.v1.get_variable_scope().caching_device


def _clear():
    scope = tf.compat.v1.get_variable_scope()
    tf.function(lambda: scope.set_caching_device(None))()


@says(
    "The failure is …",
    "While `tf.map_fn`, `tf.scan` …",
    "If tracing raises …",
    "In its backward …",
    "If you compute …",
    "A `tf.map_fn` raises …",
    "In eager mode, resetting …",
    "So this program …",
    "The recomputed function …",
    "After that, a …",
    "After the reset, …",
    "`Caching devices is not yet supported` — …",
    "Fix: a failed …",
    "Get this scope …",
    "Assert that `tf.compat.v1.get_variable_scope().caching_device` …",
    "If it isn't, …",
    "Deliberately wrong: after a map …",
    "Reset the caching …",
)
def test_caching_device():
    square = tf.recompute_grad(lambda x: x * x)

    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = square(x)
        return tape.gradient(y, x)

    x = tf.constant(3.0)
    assert tf.compat.v1.get_variable_scope().caching_device is None
    for loop in (tf.map_fn, tf.scan, tf.foldl):
        step = (
            (lambda row: tf.reshape(row, [3]))
            if loop is tf.map_fn
            else (lambda _, row: tf.reshape(row, [3]))
        )
        try:
            assert _raises(lambda x: loop(step, x)) is not None
            with pytest.raises(NotImplementedError, match="Caching devices"):
                slope(x)
            assert tf.function(slope)(x) == 6
            with pytest.raises(NotImplementedError, match="Caching devices"):
                tf.compat.v1.get_variable_scope().set_caching_device(None)
        finally:
            _clear()
        assert slope(x) == 6
        assert tf.compat.v1.get_variable_scope().caching_device is None
        # One that does not raise takes it back, and it is there meanwhile.
        seen = []

        def noted(*rows):
            seen.append(tf.compat.v1.get_variable_scope().caching_device)
            return rows[-1]

        tf.function(lambda x: loop(noted, x))(tf.ones([2, 2]))
        assert seen and all(seen)
        assert tf.compat.v1.get_variable_scope().caching_device is None
