"""The claims of docs/systems/devices.md.

The number of devices is set before TensorFlow begins, so the cases run in other
processes: each of them gets the source of a function, and prints what it returns.
"""

import contextlib
import functools
import inspect
import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.harness import contrast, elsewhere, same

_IMPORTS = """
import contextlib
import json
from types import SimpleNamespace
import numpy as np
import tensorflow as tf
"""


def replicas(count):
    """Split the CPU into devices, and define what the cases share."""
    [cpu] = tf.config.list_physical_devices("CPU")
    devices = [tf.config.LogicalDeviceConfiguration()] * count
    tf.config.set_logical_device_configuration(cpu, devices)
    strategy = tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(count)])
    with strategy.scope():
        w = tf.Variable(2.0)

    def parts(*values):
        """Give each replica one of the values."""
        return strategy.experimental_distribute_values_from_function(
            lambda context: tf.constant(values[context.replica_id_in_sync_group])
        )

    def run(step, *inputs):
        """Run a step in each replica, eagerly and in a graph, and return the values."""

        def in_replicas(*inputs):
            return strategy.run(step, args=inputs)

        def locals_of(result):
            values = strategy.experimental_local_results(result)
            return [
                None if value is None else value.numpy().tolist() for value in values
            ]

        graph = tf.function(in_replicas)
        return [locals_of(in_replicas(*inputs)), locals_of(graph(*inputs))]

    @tf.custom_gradient
    def scaled(x):
        def grad(upstream, variables):
            return upstream * w, [tf.reduce_sum(upstream * x)]

        return x * w, grad

    @tf.custom_gradient
    def scaled_by(x, w):
        return x * w, lambda upstream: (upstream * w, tf.reduce_sum(upstream * x))

    functions = {
        "plain": lambda x: x * w,
        "variables": scaled,
        "argument": lambda x: scaled_by(x, tf.convert_to_tensor(w)),
    }
    return SimpleNamespace(
        strategy=strategy, w=w, parts=parts, run=run, functions=functions
    )


def in_another_process(case: Callable, count: int = 2) -> Any:
    """Run a function of ``replicas(count)`` in another process."""
    sources = [inspect.getsource(function) for function in (replicas, case)]
    call = f"print(json.dumps({case.__name__}(replicas({count}))))"
    printed = elsewhere("\n".join([_IMPORTS, *sources, call]))
    return json.loads(printed.splitlines()[-1])


def tapes_around(two):
    """Differentiate the sum of w x over both replicas with tapes in several places."""
    x = two.parts([1.0, 2.0], [3.0, 4.0])

    def around(total, source):
        with tf.GradientTape() as tape:
            loss = total(x)
        return tape.gradient(loss, source)

    def around_in_scope(total):
        try:
            with two.strategy.scope():
                return around(total, two.w).numpy().item()
        except ValueError as error:
            return str(error)

    def gradients(function):
        def loss_of(x):
            return tf.reduce_sum(function(x))

        def total(x):
            losses = two.strategy.run(loss_of, args=(x,))
            return two.strategy.reduce("sum", losses, axis=None)

        def inside(x):
            with tf.GradientTape() as tape:
                loss = loss_of(x)
            return tape.gradient(loss, two.w)

        graph = tf.function(total)
        return {
            "around": around(graph, two.w).numpy().item(),
            "copies": [each.numpy().item() for each in around(graph, two.w.values)],
            "inside": two.run(inside, x),
            "scope": around_in_scope(graph),
            "eager": around(total, two.w) is None,
            "one graph": tf.function(lambda: around(total, two.w))() is None,
        }

    return {name: gradients(function) for name, function in two.functions.items()}


def test_first_copy():
    for results in in_another_process(tapes_around).values():
        assert results["around"] == 3.0
        with contrast("the sum over the replicas, 10"):
            assert results["copies"] == [3.0, 7.0]
        with contrast("if the tape is in the replica, too"):
            assert results["inside"] == [[3.0, 7.0], [3.0, 7.0]]
        with contrast("if the tape is in the scope, too"):
            assert "handle is not available outside" in results["scope"]
        with contrast("without a tf.function, or with one that holds the tape"):
            assert results["eager"] and results["one graph"]


def optimizer_steps(two):
    """Apply the gradients 3 and 7, and for comparison their sum and their mean alone.

    Returns:
        For each optimizer: how far the weights of both replicas move by each method,
        eagerly and in a graph, and how far a weight moves by the sum and by the mean.
    """
    from tensorflow import keras

    x, moves = two.parts(3.0, 7.0), {}
    optimizers = {
        "SGD": lambda: keras.optimizers.SGD(0.125),
        "momentum": lambda: keras.optimizers.SGD(0.125, 0.5),
        "Adagrad": lambda: keras.optimizers.Adagrad(0.125),
        "Ftrl": lambda: keras.optimizers.Ftrl(0.125),
        "Adam": lambda: keras.optimizers.Adam(0.125, epsilon=1.0),
    }

    def fresh(create):
        """Return a weight and its optimizer."""
        w, optimizer = keras.Variable(2.0), create()
        optimizer.build([w])
        return w, optimizer

    def alone(create, gradient):
        w, optimizer = fresh(create)
        optimizer.apply([tf.constant(gradient)], [w])
        return w.value.numpy().item() - 2

    def in_replicas(create, method, wrap):
        with two.strategy.scope():
            w, optimizer = fresh(create)

        def step(gradient):
            if method == "apply":
                optimizer.apply([gradient], [w])
            else:
                optimizer.apply_gradients([(gradient, w)])

        wrap(lambda: two.strategy.run(step, args=(x,)))()
        return [copy.numpy().item() - 2 for copy in w.value.values]

    for name, create in optimizers.items():
        moves[name] = {
            "replicas": [
                in_replicas(create, method, wrap)
                for method in ("apply_gradients", "apply")
                for wrap in (lambda function: function, tf.function)
            ],
            "sum": alone(create, 3.0 + 7.0),
            "mean": alone(create, (3.0 + 7.0) / 2),
        }
    return moves


def test_optimizer_adds():
    moves = in_another_process(optimizer_steps)
    assert moves["SGD"]["sum"] == -0.125 * (3 + 7)
    for move in moves.values():
        assert same(move["replicas"], [[move["sum"]] * 2] * 4, 1e-5)
        with contrast("the mean of the gradients"):
            assert not same(move["mean"], move["sum"], 1e-4)


def all_reduces(two):
    """Differentiate a sum and a mean over the replicas."""
    x, factor = two.parts([1.0, 2.0], [-3.0, 5.0]), two.parts([2.0, 3.0], [7.0, -1.0])
    gradients = {}
    for kind in ("sum", "mean"):

        def step(x, factor, kind=kind):
            replica = tf.distribute.get_replica_context()
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = replica.all_reduce(kind, x)
                loss = tf.reduce_sum(factor * tf.sin(y))
            return tape.gradient(loss, x)

        gradients[kind] = two.run(step, x, factor)
    return gradients


def test_all_reduce_gradient():
    x = tf.constant([[1.0, 2.0], [-3.0, 5.0]])
    factor = tf.constant([[2.0, 3.0], [7.0, -1.0]])
    for kind, gradients in in_another_process(all_reduces).items():
        with tf.GradientTape() as tape:
            tape.watch(x)
            reduce = tf.reduce_sum if kind == "sum" else tf.reduce_mean
            y = reduce(x, axis=0)
            loss = tf.reduce_sum(factor * tf.sin(y))
        right = tape.gradient(loss, x)
        assert all(same(gradient, right, 1e-5) for gradient in gradients)
        upstream = factor * tf.cos(y)
        assert same(right[0], reduce(upstream, axis=0), 1e-5)
        with contrast("the upstream gradient of each replica"):
            assert not same(gradients[0], upstream, 0.1)


def reduced_losses(three):
    """Differentiate w x, all-reduced within the tape and after it."""
    gradients = {}
    for kind in ("sum", "mean"):
        for name, function in three.functions.items():

            def within(x, kind=kind, function=function):
                replica = tf.distribute.get_replica_context()
                with tf.GradientTape() as tape:
                    loss = replica.all_reduce(kind, function(x))
                return tape.gradient(loss, three.w)

            def after(x, kind=kind, function=function):
                replica = tf.distribute.get_replica_context()
                with tf.GradientTape() as tape:
                    loss = function(x)
                gradient = tape.gradient(loss, three.w)
                replica.all_reduce(kind, loss)
                return gradient

            x = three.parts(0.5, 1.5, -2.0)
            gradients[f"{kind} {name}"] = three.run(within, x), three.run(after, x)
    return gradients


def test_reduced_in_the_tape():
    results = in_another_process(reduced_losses, count=3)
    for name, (within, after) in results.items():
        # The mean of the three losses is a third of their sum, and so is its gradient.
        divisor = 1.0 if "sum" in name else 3.0
        right = np.array([0.5, 1.5, -2.0]) / divisor
        assert all(same(gradients, 3 * right, 1e-6) for gradients in within)
        if "sum" in name:
            with contrast("also after the tape"):
                assert all(same(gradients, right) for gradients in after)
            with contrast("by two"):
                assert not same(within[0], 2 * right, 0.1)


def fits(two):
    """Train a weight on batches of four, and return it for several numbers of rows."""
    from tensorflow import keras

    weights = {}
    for count in (5, 6, 7):
        with two.strategy.scope():
            layer = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
            model = keras.Sequential([keras.Input([1]), layer])
            model.compile(keras.optimizers.SGD(0.01), "mse")
        x = np.float32([[1], [2], [3], [4], [5], [6], [7]])[:count]
        model.fit(x, 0 * x, batch_size=4, shuffle=False, verbose=0)
        weights[count] = model.get_weights()[0].item()
    for sizes in ([3], [2, 3]):
        with two.strategy.scope():
            model = keras.Sequential([keras.Input([1]), keras.layers.Dense(1)])
            model.compile("sgd", "mse")
        errors = weights[str(sizes)] = []
        for size in sizes:
            try:
                model.fit(x, x, batch_size=size, verbose=0)
                errors.append("")
            except tf.errors.InvalidArgumentError as error:
                errors.append(str(error))
    return weights


def test_fit_halves():
    weights = in_another_process(fits)
    before = 1 - 0.01 * 2 * np.mean([1.0, 4.0, 9.0, 16.0])  # after the first batch
    after = lambda mean: before * (1 - 0.01 * 2 * mean)  # after a mean of squares
    assert same(weights["5"], after((25 + 0) / 2), 1e-5)
    assert same(weights["6"], after((25 + 36) / 2), 1e-5)
    assert same(weights["7"], after(((25 + 36) / 2 + 49) / 2), 1e-5)
    [first], [even, later] = weights["[3]"], weights["[2, 3]"]
    assert "must have the same size and shape" in first
    with contrast("only of the first `fit`"):
        assert "must have the same size and shape" in later
    with contrast("the last batch, too: only 2, 2, 2 and then 1 example"):
        assert not even
    with contrast("the mean over the examples, as on one device"):
        assert not same(weights["5"], after(25), 1e-3)
        assert not same(weights["7"], after((25 + 36 + 49) / 3), 1e-3)


def devices_of_grad(two):
    """Note the device of grad for a device around each part of the program."""
    noted = []

    def noting(x, device=None):
        @tf.custom_gradient
        def square(x):
            def grad(upstream):
                with tf.device(device) if device else contextlib.nullcontext():
                    noted.append((upstream * x).device[-1:])
                    return 2 * upstream * x

            return x * x, grad

        return square(x)

    def gradient(forward, back, inner=None):
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tf.device(forward):
                y = noting(x, inner)
        with tf.device(back) if back else contextlib.nullcontext():
            return tape.gradient(y, x)

    results = {}
    for forward in ("CPU:0", "CPU:1"):
        for back in (None, "CPU:0", "CPU:1"):
            for inner in (None, "CPU:0", "CPU:1"):
                noted.clear()
                gradient(forward, back, inner)
                tf.function(lambda *devices: gradient(*devices))(forward, back, inner)
                results[f"{forward} {back} {inner}"] = [*noted]
    noted.clear()

    def step():
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = noting(x)
        return tape.gradient(y, x)

    two.strategy.run(step)
    tf.function(lambda: two.strategy.run(step))()
    results["replicas"] = [*noted]
    return results


def test_device_of_grad():
    results = in_another_process(devices_of_grad)
    assert results.pop("replicas") == ["0", "1", "0", "1"]
    for names, (eager, inside) in results.items():
        forward, back, inner = names.split()
        last = {"CPU:0": "0", "CPU:1": "1"}
        assert eager == last.get(inner, last.get(back, "0"))
        assert inside == last.get(inner, last.get(back, ""))
        if forward == "CPU:1" and inner == "None" and back != "CPU:1":
            with contrast("the device around the forward pass"):
                assert eager == "0" and inside != "1"
        if inner != "None":
            with contrast("always that of tape.gradient, also if grad sets one"):
                assert eager == inside == last[inner]


def alone(two):
    """Call an all-reduce in some replicas, and return the errors."""

    def ended(wrap, replicas):
        def step():
            replica = tf.distribute.get_replica_context()
            if replica._replica_id in replicas:
                replica.all_reduce("sum", tf.constant(1.0))

        try:
            wrap(lambda: two.strategy.run(step))()
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return ""

    wraps = (lambda function: function, tf.function)
    calls = {"first": [0], "second": [1], "both": [0, 1], "none": []}
    return {
        name: [ended(wrap, replicas) for wrap in wraps]
        for name, replicas in calls.items()
    }


def test_one_replica_alone():
    errors = in_another_process(alone)
    for error in (*errors["first"], *errors["second"]):
        assert error.startswith("RuntimeError")
        assert "Some replicas made a different number" in error
    with contrast("whenever a replica calls one"):
        assert errors["both"] == errors["none"] == ["", ""]


def mirrored(two):
    """Note the variables that grad receives, and their values in each replica."""
    noted = []

    @tf.custom_gradient
    def scaled(x):
        def grad(upstream, variables):
            [v] = variables
            value = tf.convert_to_tensor(v)
            noted.append([v is two.w, type(v).__name__, v.device[-1:]])
            return upstream * value, [tf.reduce_sum(upstream * x) * value]

        return x * two.w, grad

    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(scaled(x))
        return tape.gradient(loss, two.w)

    two.w.values[1].assign(5.0)
    gradients = two.run(step, two.parts([1.0, 2.0], [3.0, 4.0]))
    return {"gradients": gradients, "noted": noted}


def test_mirrored_variable():
    results = in_another_process(mirrored)
    assert (
        results["noted"]
        == [[True, "MirroredVariable", "0"], [True, "MirroredVariable", "1"]] * 2
    )
    assert results["gradients"] == [[3.0 * 2.0, 7.0 * 5.0]] * 2
    with contrast("the value of the first copy"):
        assert results["gradients"][0][1] != 7.0 * 2.0


STRATEGIES = ["one replica", "two replicas", "one device"]
"""A MirroredStrategy with one or two replicas, and a OneDeviceStrategy."""
MIRRORED = pytest.mark.parametrize("name", STRATEGIES[:2])


def cases(make_strategy):
    """Run each case under a strategy; return the results, or the errors as text."""
    strategy = make_strategy()
    with strategy.scope():
        variables = [tf.Variable(2.0), keras.Variable(2.0).value]
        optimizers = [keras.optimizers.SGD(0.125), keras.optimizers.Adam(0.125)]
    w, half, true = variables[0], tf.constant(0.5), tf.constant(True)

    def shown(function):
        try:
            result = function()
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        results = [] if result is None else strategy.experimental_local_results(result)
        return [None if part is None else float(part) for part in results]

    def in_scope(function):
        def scoped():
            with strategy.scope():
                return function()

        return scoped

    def both(function):
        return [shown(function), shown(tf.function(function))]

    def slope(variable):
        with tf.GradientTape() as tape:
            loss = 3.0 * variable
        return tape.gradient(loss, variable)

    slopes = [functools.partial(slope, variable) for variable in variables]
    applies = [lambda o=o: o.apply([half], [w]) or half for o in optimizers]

    @tf.custom_gradient
    def reduced(x):
        def grad(upstream):
            return tf.distribute.get_replica_context().all_reduce("sum", upstream)

        return tf.identity(x), grad

    def reduces():
        x = tf.constant(1.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = reduced(x)
        return tape.gradient(y, x)

    def branch(function):
        return lambda: tf.cond(true, function, lambda: half)

    def loop(function):
        def body(i, _):
            return i + 1, function()

        return lambda: tf.while_loop(lambda i, _: i < 1, body, [0, half])[1]

    def replicas(function):
        return lambda: strategy.run(function)

    def around(compute, source, wrap=lambda function: function):
        def total():
            return strategy.reduce("sum", strategy.run(compute), axis=None)

        total = wrap(total)

        def gradient():
            with tf.GradientTape() as tape:
                tape.watch(source)
                loss = total()
            return tape.gradient(loss, source)

        return gradient

    x = tf.constant(2.0)
    merges = [*applies, reduces]
    return {
        "scope": [both(in_scope(slope)) for slope in slopes],
        "no scope": [both(slope) for slope in slopes],
        "replica": [both(replicas(slope)) for slope in slopes],
        "apply in scope": [both(in_scope(apply)) for apply in applies],
        "apply in replica": [shown(replicas(apply)) for apply in applies],
        "merge": [both(replicas(merge)) for merge in merges],
        "in a block": [
            both(replicas(block(merge))) for merge in merges for block in (branch, loop)
        ],
        "around": both(around(lambda: 3.0 * w, w)) + both(around(lambda: 3.0 * x, x)),
        "between": [shown(around(lambda: 3.0 * w, w, tf.function))],
    }


_CASES_PROGRAM = """
import functools
import json
import keras
import tensorflow as tf

cpu = tf.config.list_physical_devices("CPU")[0]
devices = [tf.config.LogicalDeviceConfiguration()] * 2
tf.config.set_logical_device_configuration(cpu, devices)

{cases}

strategies = [
    lambda: tf.distribute.MirroredStrategy(["CPU:0"]),
    lambda: tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]),
    lambda: tf.distribute.OneDeviceStrategy("CPU:0"),
]
print(json.dumps([cases(strategy) for strategy in strategies]))
"""


@functools.cache
def results():
    """Return the results of all cases, by the name of the strategy."""
    printed = elsewhere(_CASES_PROGRAM.format(cases=inspect.getsource(cases)))
    return dict(zip(STRATEGIES, json.loads(printed.splitlines()[-1])))


@MIRRORED
def test_in_the_scope(name):
    for eager, graph in results()[name]["scope"]:
        for error in eager, graph:
            assert error.startswith("ValueError")
            assert "handle is not available outside the replica context" in error
    for eager, graph in results()[name]["no scope"]:
        assert eager == graph == [3.0]
    with contrast("also in a replica"):
        for eager, graph in results()[name]["replica"]:
            assert {*eager} == {*graph} == {3.0}
    with contrast("in the scope of any strategy"):
        assert results()["one device"]["scope"] == [[[3.0], [3.0]]] * 2


@pytest.mark.parametrize("name", STRATEGIES)
def test_applied_in_scope(name):
    for eager, graph in results()[name]["apply in scope"]:
        for error in eager, graph:
            assert error.startswith("AttributeError")
            assert "'NoneType' object has no attribute 'merge_call'" in error
    with contrast("also in a replica"):
        for result in results()[name]["apply in replica"]:
            assert {*result} == {0.5}


@MIRRORED
def test_no_merge_in_a_branch(name):
    count = float(name.startswith("two")) + 1
    for eager, graph in results()[name]["in a block"]:
        assert graph.startswith("RuntimeError") and "merge_call" in graph
        assert {*eager} <= {0.5, count}
    with contrast("also outside a branch or a loop"):
        for eager, graph in results()[name]["merge"]:
            assert {*eager} == {*graph} and {*eager} <= {0.5, count}
    with contrast("of any strategy"):
        for eager, graph in results()["one device"]["in a block"]:
            assert eager == graph


@MIRRORED
def test_other_threads(name):
    assert results()[name]["around"] == [[], [], [], []]
    with contrast("also with a tf.function between them"):
        assert results()[name]["between"] == [[3.0]]
    with contrast("outside the run of any strategy"):
        assert results()["one device"]["around"] == [[3.0]] * 4
