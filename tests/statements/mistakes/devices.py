"""What the page on devices says in words."""

import ast
import functools
import json

from truth.statements import tries
from truth.statements.tries import *

TWO = '''
import json
import threading

import numpy as np
import tensorflow as tf
from tensorflow import keras

[cpu] = tf.config.list_physical_devices("CPU")
two = [tf.config.LogicalDeviceConfiguration()] * 2
tf.config.set_logical_device_configuration(cpu, two)
names = [each.name for each in tf.config.list_logical_devices("CPU")]
strategy = tf.distribute.MirroredStrategy(names)
found = {}
with strategy.scope():
    w = tf.Variable(2.0)


def ended(run, *arguments):
    try:
        return np.ravel([each.numpy() for each in tf.nest.flatten(
            tf.nest.map_structure(strategy.experimental_local_results,
                                  run(*arguments)))]).tolist()
    except Exception as error:
        return " ".join(f"{type(error).__name__}: {error}".split())


def each_way(name, step, *arguments):
    """In replicas: eagerly, in a graph around them, and in one inside."""
    replicas = lambda *given: strategy.run(step, args=given)
    found[name] = [
        ended(replicas, *arguments), ended(tf.function(replicas), *arguments),
        ended(lambda *given: strategy.run(tf.function(step), args=given), *arguments)]


def slope():
    with tf.GradientTape() as tape:
        loss = 3.0 * w
    return tape.gradient(loss, w)


def in_scope():
    with strategy.scope():
        return slope()


found["in scope"] = [ended(in_scope), ended(tf.function(in_scope))]
found["outside"] = [ended(slope), ended(tf.function(slope))]
each_way("in replicas", slope)


@tf.custom_gradient
def by_variables(x):
    return x * w, lambda upstream, variables: (
        upstream * w, [tf.reduce_sum(upstream * x)])


@tf.custom_gradient
def by_argument(x, w):
    return x * w, lambda upstream: (upstream * w, tf.reduce_sum(upstream * x))


functions = (by_variables, lambda x: by_argument(x, tf.convert_to_tensor(w)),
             lambda x: by_argument(x, w), lambda x: x * w)


def rules(x):
    slopes = []
    for function in functions:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(function(x))
        slopes.append(tape.gradient(loss, w))
    return slopes


def parts(function):
    return strategy.experimental_distribute_values_from_function(
        lambda context: tf.constant(function(context.replica_id_in_sync_group)))


each_way("rules", rules, parts(lambda index: [1.0 + index, 2.0]))


def apply():
    optimizer.apply_gradients([(tf.constant(0.5), w)])
    return 0.0


def scoped():
    with strategy.scope():
        found["context"] = tf.distribute.get_replica_context() is None
        apply()


with strategy.scope():
    optimizer = keras.optimizers.SGD(0.125)
found["apply in scope"] = [ended(scoped), ended(tf.function(scoped))]
w.assign(2.0)
each_way("apply", lambda: apply() and None)
found["applied"] = w.numpy().item()


def branch(flag):
    return tf.cond(flag, apply, lambda: 0.0)


@tf.custom_gradient
def adds(x):
    return tf.identity(x), lambda upstream: (
        tf.distribute.get_replica_context().all_reduce("sum", upstream))


def slope_of_adds(flag):
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cond(flag, lambda: adds(x), lambda: x)
    return tape.gradient(y, x)


true = tf.constant(True)
each_way("branch", branch, true)
each_way("rule in a branch", slope_of_adds, true)
threads = []
strategy.run(lambda: threads.append(threading.get_ident()))
found["threads"] = threading.get_ident() not in threads and len({*threads})


def fitted(strategy):
    with strategy.scope():
        dense = keras.layers.Dense(1, kernel_initializer="ones")
        model = keras.Sequential([keras.Input([1]), dense])
        model.compile(keras.optimizers.SGD(0.125), "mse")
    x = np.float32([[1.0], [2.0], [3.0], [4.0]])
    model.fit(x, 0 * x, batch_size=4, verbose=0)
    return dense.kernel.numpy().item()


found["fitted"] = [fitted(strategy), fitted(tf.distribute.get_strategy())]
print(json.dumps(found))
'''


@functools.cache
def found():
    """What two replicas do, in a process of their own: the number of devices is said
    before TensorFlow begins."""
    [line] = [each for each in elsewhere(TWO).splitlines() if each.startswith("{")]
    return json.loads(line)


@says(
    "Under this strategy, …",
    "Each device runs …",
    "Every program here …",
    "In the scope …",
    "`tape.gradient` needs the …",
    "In this program, the tape is in …",
    "The error is …",
    "Fix: put the …",
    "In the fixed program, each replica opens …",
    "The program also …",
    "Compare their gradients …",
    "Both gradients agree …",
    "Deliberately wrong: the tape is in …",
    "The tape is in the function …",
)
def test_handle():
    assert all("handle is not available" in each for each in found()["in scope"])
    assert found()["outside"] == [[3.0]] * 2
    assert found()["in replicas"] == [[3.0, 3.0]] * 3
    for slopes in found()["rules"]:
        assert slopes == [3.0, 4.0] * 4
    assert [each.text.split()[0] for each in trace("handle.py")][-1] == "plain"
    for each in trace("handle.py"):
        assert each.numbers == [3, 5]
    for path in tries.folder.rglob("*.py"):
        lines = [ast.unparse(each) for each in ast.parse(path.read_text()).body]
        made = "(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)"
        assert f"tf.config.set_logical_device_configuration{made}" in lines


@says(
    "To apply gradients, …",
    "Outside the replicas, …",
    "This program calls …",
    "The call raises …",
    "Fix: call the …",
    "In the fixed program, the step …",
    "Deliberately wrong: an optimizer is …",
    "The optimizer is called in the function …",
    "The optimizer adds the gradients of all …",
    "The optimizer adds the gradients of the …",
)
def test_apply():
    assert found()["context"] is True  # None in the scope
    for said in found()["apply in scope"]:
        assert "'NoneType' object has no attribute 'merge_call'" in said
    assert found()["applied"] == 2.0 - 3 * 0.125 * (0.5 + 0.5)
    [line] = trace("merge.py")
    assert line.numbers[0] == line.numbers[1]


@says(
    "To add their …",
    "However, in a …",
    "Fix: let the …",
    "For the same …",
    "In this program, each …",
    "Tracing the branch …",
    "In the fixed program, the branch …",
    "With the flag …",
    "With `False`, the …",
    "Deliberately wrong: each replica calls …",
    "The branch chooses …",
)
def test_branch():
    assert all("merge_call" in each for each in found()["branch"][1:])
    assert all("merge_call" in each for each in found()["rule in a branch"][1:])
    assert [each.numbers[0] for each in trace("nested.py")] == [1.9, 1.9]
    assert trace("nested.py")[0].numbers[-1] == 1.9
    assert "tf.cond(flag, lambda: 0.5, lambda: 0.0)" in source("nested.py")
    assert "for flag in True, False" in source("nested.py")


@says(
    "The tape was …",
    "The tape doesn't …",
    "Fix: use one …",
    "In this program, the tape is around `strategy.run`.",
    "The loss is …",
    "The fixed program …",
    "The sum agrees …",
    "Write `assert slope is not None` …",
    "Deliberately wrong: the tape is around …",
    "Each replica has …",
)
def test_around():
    assert found()["threads"] == 2
    assert "None" in trace("wrong/around.py")[0].text
    gradient, hand = trace("around.py")[0].numbers
    assert gradient == hand == 6


@says(
    "Each of these …",
    "Fix: in each …",
    "With `model.fit`, you …",
    "Each replica takes the mean …",
    "The step from …",
    "In the fixed program, each replica divides …",
    "The step is as …",
    "Run one step …",
    "Then compare the weights.",
    "Deliberately wrong: each replica averages …",
    "Each replica divides …",
)
def test_sums():
    two, one = found()["fitted"]
    assert one == two != 1
    wrong, right = trace("wrong/sums.py")[0].numbers
    assert "w = tf.Variable(2.0)" in source("wrong/sums.py")
    assert (wrong, right) == (1.5, 1.75) and 2.0 - wrong == 2 * (2.0 - right)
    assert len({*trace("sums.py")[0].numbers}) == 1


@says(
    "The gradient function runs …",
    "Two gradients of …",
    "Fix: in the …",
    "In this program, a …",
    "The norm of the sum is 2.",
    "In the fixed program, the gradient …",
    "It divides the …",
    "The norm of the sum is 1.",
    "Print the norm …",
    "Deliberately wrong: grad clips …",
    "The gradient function adds …",
)
def test_clip():
    assert trace("wrong/clip.py")[0].numbers[-1] == 2
    x, y, norm = trace("clip.py")[0].numbers
    assert norm == 1 and np.allclose([x, y], [0.6, 0.8])
    assert same(tf.norm(2 * tf.clip_by_norm([3.0, 4.0], 1.0)), 2.0, 1e-6)


definition("Such a run …")
history("In Keras 2, …")
advice("Put everything that …")
pointer(
    "Nothing was run …",
    "You see — Fix",
    "`DistributedVariable.handle is not available outside the replica context` — …",
    "`'NoneType' object has no attribute 'merge_call'` — …",
    "`` `merge_call` called …",
    "a gradient of …",
    "a step twice …",
    "a gradient whose …",
    "Look up the …",
    "Each section begins …",
    "Notice it earlier.",
    "Asked in tensorflow#36392, …",
    "More: variables in …",
    "Asked in tensorflow#43974, tensorflow#36955.",
    "Asked in tensorflow#27716, …",
    "Asked in tensorflow#54370.",
    "More: a tape …",
    "Asked in tensorflow#35333, edward2#428.",
    "More: clipping.",
)
