"""The claims of docs/mistakes/devices.md.

The number of devices is set before TensorFlow begins, so all cases run in another
process, which gets the source of ``cases`` and prints what it returns.
"""

import functools
import inspect
import json

import keras
import pytest
import tensorflow as tf

from tests.harness import contrast, elsewhere

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


_PROGRAM = """
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
    printed = elsewhere(_PROGRAM.format(cases=inspect.getsource(cases)))
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
