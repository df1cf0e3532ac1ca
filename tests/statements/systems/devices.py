"""What the page on several devices says."""

import functools
import json
import os
import re
import socket
import subprocess
import sys
import time

from truth.statements import tries
from truth.statements.tries import *

TWO = '''
import json
import sys
import threading

import numpy as np
import tensorflow as tf
from tensorflow import keras

[cpu] = tf.config.list_physical_devices("CPU")
two = [tf.config.LogicalDeviceConfiguration()] * 2
tf.config.set_logical_device_configuration(cpu, two)
names = [each.name for each in tf.config.list_logical_devices("CPU")]
strategy = tf.distribute.MirroredStrategy(names)
one = tf.distribute.get_strategy()
found = {}
with strategy.scope():
    w = tf.Variable(2.0)


def values(result):
    nested = tf.nest.map_structure(strategy.experimental_local_results, result)
    return [each if each is None else np.array(each).tolist()
            for each in tf.nest.flatten(nested)]


def ended(run):
    try:
        return values(run())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def parts(*each):
    return strategy.experimental_distribute_values_from_function(
        lambda context: tf.constant(each[context.replica_id_in_sync_group]))


def both(step, *arguments):
    """In replicas: eagerly and in a graph."""
    run = lambda *given: strategy.run(step, args=given)
    return [ended(lambda: run(*arguments)),
            ended(lambda: tf.function(run)(*arguments))]


seen = []


@tf.custom_gradient
def by_variables(x):
    def grad(upstream, variables):
        [v] = variables
        replica = tf.distribute.get_replica_context()._replica_id
        seen.append([replica, threading.get_ident(), type(v).__name__, v is w,
                     v.device[-1:], (upstream * x).device[-1:],
                     upstream.shape.as_list(), tf.convert_to_tensor(v)])
        return upstream * w, [tf.reduce_sum(upstream * x)]

    return x * w, grad


@tf.custom_gradient
def by_argument(x, w):
    return x * w, lambda upstream: (upstream * w, tf.reduce_sum(upstream * x))


functions = {"variables": by_variables, "plain": lambda x: x * w,
             "argument": lambda x: by_argument(x, tf.convert_to_tensor(w))}
three_seven = parts([1.0, 2.0], [3.0, 4.0])
for name, function in functions.items():
    def total(x):
        losses = strategy.run(lambda x: tf.reduce_sum(function(x)), args=(x,))
        return strategy.reduce("sum", losses, axis=None)

    def around(total, of):
        with tf.GradientTape() as tape:
            loss = total(three_seven)
        return tape.gradient(loss, of)

    def inside(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(function(x))
        return tape.gradient(loss, w)

    graph = tf.function(total)
    found["around", name] = [
        ended(lambda: around(graph, w)), ended(lambda: around(graph, w.values)),
        ended(lambda: around(total, w)),
        ended(lambda: tf.function(around)(total, w))]
    seen.clear()
    found["inside", name] = both(inside, three_seven)
    if name == "variables":
        w.values[1].assign(5.0)
        seen.clear()
        run = tf.function(lambda: strategy.run(inside, args=(three_seven,)))
        strategy.run(inside, args=(three_seven,))
        found["eager"] = [each[2:-1] for each in seen]
        found["copies"] = [each[-1].numpy().item() for each in seen]
        found["threads"] = len({each[1] for each in seen} | {threading.get_ident()})
        seen.clear()
        counts = []
        for _ in range(3):
            run()
            counts.append(len(seen))
        found["graph"] = [each[2:-1] for each in seen]
        found["counts"] = counts
        w.assign(2.0)
order = []


def turns(x, reduces=True, all_do=True):
    replica = tf.distribute.get_replica_context()
    order.append(replica._replica_id)
    if reduces and (all_do or replica._replica_id):
        replica.all_reduce("sum", x)
    order.append(replica._replica_id)
    return x


for reduces in True, False:
    for run in turns, None:
        order.clear()
        step = lambda: turns(tf.constant(1.0), reduces)
        strategy.run(step) if run else tf.function(lambda: strategy.run(step))()
        found["order", reduces, bool(run)] = [*order]
found["one alone"] = both(lambda: turns(tf.constant(1.0), True, False))


def optimized(rule, optimizer):
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(rule(x))
        optimizer.apply_gradients([(tape.gradient(loss, w), w)])

    w.assign(2.0)
    tf.function(lambda: strategy.run(step, args=(three_seven,)))()
    return w.numpy().item()


with strategy.scope():
    sgd = keras.optimizers.SGD(0.125)
found["optimized"] = [optimized(each, sgd) for each in functions.values()]
w.assign(2.0)


def ours(kind):
    @tf.custom_gradient
    def reduced(x):
        replica = tf.distribute.get_replica_context()
        return replica.all_reduce(kind, x), lambda upstream: (
            tf.distribute.get_replica_context().all_reduce(kind, upstream))

    return reduced


@tf.custom_gradient
def local(x):
    replica = tf.distribute.get_replica_context()
    return replica.all_reduce("mean", x), lambda upstream: upstream / 2


def theirs(kind):
    return lambda x: tf.distribute.get_replica_context().all_reduce(kind, x)


random = np.random.default_rng(0).normal(size=(2, 2, 3)).astype("float32")
for name, function in {"mean": ours("mean"), "their mean": theirs("mean"),
                       "sum": ours("sum"), "their sum": theirs("sum"),
                       "local": local}.items():
    def step(x, c):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(c * tf.sin(x - function(x)))
        return tape.gradient(loss, x)

    found["reduced", name] = both(step, parts(*random[0]), parts(*random[1]))
for kind, reduce in ("mean", tf.reduce_mean), ("sum", tf.reduce_sum):
    x = tf.constant(random[0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(random[1] * tf.sin(x - reduce(x, 0)))
    found["whole", kind] = values(tape.gradient(loss, x))


def counted(x):
    with tf.GradientTape() as tape:
        loss = theirs("sum")(x * w)
    before = tf.GradientTape()
    with before:
        mine = x * w
    theirs("sum")(mine)
    return tape.gradient(loss, w), before.gradient(mine, w)


found["counted"] = both(counted, parts(0.5, 1.5))


class Scale(keras.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=shape[1:], initializer="ones")

    def call(self, x):
        @tf.custom_gradient
        def scaled(x, w):
            return x * w, lambda upstream: (
                upstream * w, tf.reduce_sum(upstream * x, 0))

        return scaled(x, tf.convert_to_tensor(self.w))


def fitted(strategy, x):
    with strategy.scope():
        model = keras.Sequential([keras.Input([1]), Scale()])
        model.compile(keras.optimizers.SGD(0.01), "mse")
    model.fit(x, 0 * x, batch_size=4, shuffle=False, verbose=0)
    return model.get_weights()[0]


x = np.float32([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0]])
for n in 4, 6, 5, 7:
    found["fitted", n] = [ended(lambda: fitted(each, x[:n])) for each in (strategy, one)]
found["fitted", 3] = [ended(lambda: fitted(each, x[:3])) for each in (strategy, one)]
data = strategy.experimental_distribute_dataset(
    tf.data.Dataset.from_tensor_slices(x[:5]).batch(4))
found["sizes"] = [[len(part) for part in strategy.experimental_local_results(each)]
                  for each in data]


@tf.custom_gradient
def square(x):
    def grad(upstream):
        seen.append((2 * x).device[-1:])
        return upstream * 2 * x

    return x * x, grad


def placed(forward, back):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tf.device(forward):
            y = square(x)
    if back is None:
        return tape.gradient(y, x)
    with tf.device(back):
        return tape.gradient(y, x)


def where(run, *arguments):
    seen.clear()
    run(*arguments)
    return [*seen]


found["placed"] = {
    f"{forward} {back}": [
        where(placed, forward, back),
        where(tf.function(lambda: placed(forward, back)))]
    for forward in ("CPU:0", "CPU:1") for back in (None, "CPU:0", "CPU:1")}
in_replica = lambda: strategy.run(lambda: placed(None, None))
found["placed in replicas"] = [where(in_replica), where(tf.function(in_replica))]
for soft in True, False:
    tf.config.set_soft_device_placement(soft)
    found["soft", soft] = [
        ended(lambda: placed("GPU:0", None)),
        ended(lambda: placed(None, "GPU:0")),
        ended(tf.function(lambda: placed("GPU:0", None)))]
json.dump({str(key): value for key, value in found.items()}, sys.stdout)
'''

WORKER = """
import json
import sys

import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()


@tf.custom_gradient
def mean(x):
    replica = tf.distribute.get_replica_context()

    def grad(upstream):
        return replica.all_reduce("mean", upstream)

    return replica.all_reduce("mean", x), grad


def step():
    replica = tf.distribute.get_replica_context()
    x = tf.cast(replica.replica_id_in_sync_group, tf.float32) * 2.0 + 1.0
    found = []
    for function in mean, lambda x: replica.all_reduce("mean", x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = x * function(x) ** 2
        found.append(tape.gradient(loss, x))
    return found


found = strategy.run(tf.function(step))
slopes = [each.numpy().item() for each in found]
json.dump([strategy.num_replicas_in_sync, slopes], sys.stdout)
"""


RECOMPUTED = """
import json
import sys

import numpy as np
import tensorflow as tf
from tensorflow import keras

[cpu] = tf.config.list_physical_devices("CPU")
two = [tf.config.LogicalDeviceConfiguration()] * 2
tf.config.set_logical_device_configuration(cpu, two)
names = [each.name for each in tf.config.list_logical_devices("CPU")]
strategies = {"one": tf.distribute.get_strategy(),
              "two": tf.distribute.MirroredStrategy(names)}


class Block(keras.layers.Layer):
    def __init__(self, wraps):
        super().__init__()
        self.dense = keras.layers.Dense(3, activation="tanh")
        self.norm = keras.layers.BatchNormalization(momentum=0.5)
        self.wraps = wraps

    def call(self, x, training=None):
        def block(x):
            return self.norm(self.dense(x), training=training)

        return (keras.remat(block) if self.wraps else block)(x)


rng = np.random.default_rng(0)
x = rng.normal(size=[8, 3]).astype("float32")
y = rng.normal(size=[8, 1]).astype("float32")
found = {}
for place, strategy in strategies.items():
    for wraps in False, True:
        keras.utils.set_random_seed(0)
        with strategy.scope():
            block = Block(wraps)
            model = keras.Sequential(
                [keras.Input([3]), block, keras.layers.Dense(1)])
            model.compile(keras.optimizers.SGD(0.1), "mse")
        model.fit(x, y, batch_size=8, verbose=0)
        found[f"{place} {wraps}"] = [
            [each.numpy().tolist() for each in model.trainable_weights],
            [each.numpy().tolist() for each in block.norm.non_trainable_weights]]
json.dump(found, sys.stdout)
"""


def said(source):
    """The last line that a process of its own prints: how many devices there are is
    said before TensorFlow begins."""
    return json.loads(elsewhere(source).splitlines()[-1])


def begun(source, **environment):
    return subprocess.Popen(
        [sys.executable, "-c", source],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


def free_ports():
    ends = [socket.create_server(("localhost", 0)) for _ in range(2)]
    ports = [each.getsockname()[1] for each in ends]
    for each in ends:
        each.close()
    return ports


def of_two_workers():
    """What two workers print. TensorFlow's server doesn't share a port, so the ports
    must be free when it starts: if another process took one, both start again."""
    for _ in range(3):
        workers = [f"localhost:{port}" for port in free_ports()]
        running = [
            begun(
                WORKER,
                TF_CONFIG=json.dumps(
                    {
                        "cluster": {"worker": workers},
                        "task": {"type": "worker", "index": index},
                    }
                ),
            )
            for index in range(2)
        ]
        # A worker waits for the other one, even if that one failed.
        deadline = time.monotonic() + 240
        while time.monotonic() < deadline and {each.poll() for each in running} <= {
            0,
            None,
        }:
            if all(each.poll() == 0 for each in running):
                break
            time.sleep(0.1)
        for each in running:
            each.kill()
        ended = [each.communicate() for each in running]
        if not any("Could not start gRPC server" in err for _, err in ended):
            break
    assert all(each.returncode == 0 for each in running), [
        err[-2000:] for _, err in ended
    ]
    return [json.loads(out.splitlines()[-1]) for out, _ in ended]


@functools.cache
def everything():
    return said(TWO)


def found(*key):
    return everything()[str(key if len(key) > 1 else key[0])]


RULES = ["variables", "plain", "argument"]


@says(
    "A tape around `strategy.run` …",
    "In this program, the function …",
    "In this program, the tape …",
    "The gradient is also …",
    "The section Reduce …",
    "`w` has one …",
    "The gradient should …",
    "Without a `tf.function`, …",
    "If you request the gradients of …",
    "If you request the gradient of `w`, …",
    "Put the tape into the function that `strategy.run` calls: …",
    "The fix is to …",
    "the gradient is …",
    "Deliberately wrong: the tape …",
    was="'if no tf.function is around strategy.run': one that holds the tape has None",
)
def test_around():
    for name in RULES:
        first, copies, eager, graph = found("around", name)
        assert first == [3.0] and copies == [3.0, 7.0]
        assert eager == [None]
        assert graph == [None]  # one tf.function around the tape and the replicas
        assert found("inside", name) == [[3.0, 7.0]] * 2
    assert trace("wrong/half.py")[0].numbers == [3, 10] == [3, 3 + 7]
    inner = source("replicas.py").partition("def slope(x):")[2]
    assert "tf.GradientTape()" in inner.partition("\n\n\n")[0]
    lines = trace("replicas.py").starting("eager", "graph")
    assert [each.numbers[-2:] for each in lines] == [[3, 7]] * 3


@says(
    "Recomputation runs a …",
    "Each replica runs its …",
    "The block in …",
    "All gradients agree …",
    "The recomputed block …",
    "Recomputation in replicas: …",
)
def test_recomputed_blocks():
    lines = trace("recompute.py")
    one = lines[-1].numbers[:5]
    assert lines[-1].text.startswith("one device") and len(lines) == 7
    for line in lines[:-1]:
        assert line.numbers[:5] == one
        assert line.numbers[5] == (2 if line.text.startswith("plain") else 2 * 2)
    modes = [line.text.split(":")[0].split(", ")[1] for line in lines[:-1]]
    assert modes == ["eager", "graph"] * 3
    x, w = np.arange(1.0, 5), 0.5
    inner = np.sin(w * x)
    outer = np.cos(w * inner)
    by_w = np.sum(outer * (inner + w * np.cos(w * x) * x))
    assert np.isclose(by_w, one[0], 1e-4)
    assert np.allclose(outer * w * np.cos(w * x) * w, one[1:], atol=1e-4)
    assert "strategy.scope():\n    w = tf.Variable" in source("recompute.py")


@says("If you recompute …", "But with or …")
def test_a_recomputed_layer_in_fit():
    found = said(RECOMPUTED)
    for place in "one", "two":
        (plain, kept), (again, twice) = found[f"{place} False"], found[f"{place} True"]
        for one, other in zip(plain, again):
            assert np.allclose(one, other, atol=1e-6)
        moved, moved_twice = np.array(kept[0]), np.array(twice[0])
        # With momentum 0.5 a mean m leaves m / 2 after a move, m / 4 after two.
        moves = -np.log2(1 - moved_twice / (2 * moved))
        assert np.allclose(moves, 2, atol=1e-3) and round(moves[0]) == 2


@tf.custom_gradient
def by_numpy(x):
    return 1.0 * x, lambda up: tf.numpy_function(np.negative, [up], up.dtype)


@says(
    "XLA also compiles …",
    "XLA also compiles …",
    "The compiled gradient …",
    "However, even on …",
    "What can be …",
)
@over(x=arrays(3, numbers(-3, 3)))
def test_without_a_tpu(x):
    sign = program("xla.py").sign
    assert np.allclose(XLA.gradient(sign, x), EAGER.gradient(sign, x), atol=1e-6)
    assert tf.config.list_logical_devices("TPU") == []
    assert same(EAGER.gradient(by_numpy, x), -np.ones_like(x))
    assert "unsupported operations" in message(XLA.gradient, by_numpy, x)
    lines = trace("xla.py")
    assert lines[0].text == "TPUs: []" and "TPU Name" in lines[1].text
    assert lines[2].numbers == lines[3].numbers


@says("What you see …")
def test_between():
    assert found("inside", "variables") == found("inside", "plain")
    assert trace("batch.py")[3].numbers == [100]
    assert found("reduced", "local") != found("reduced", "mean")
    ours, one = found("fitted", 5)
    assert not np.allclose(ours, one)


@says("To have two …", "Only the programs …")
def test_programs():
    made = "cpu, [tf.config.LogicalDeviceConfiguration()] * 2)"
    without = [
        path.name for path in tries.folder.rglob("*.py") if made not in path.read_text()
    ]
    assert sorted(without) == ["hosts.py", "xla.py"]


@says(
    "Each replica runs `slope` …",
    "If the gradient function …",
    "The upstream gradient, …",
    "In eager mode, …",
    "In a graph, they …",
    "The gradient function computes …",
    "The list `variables=` …",
    "If you read …",
    "In a replica, …",
    "What a gradient function …",
    "or it warns …",
)
def test_rule_in_replicas():
    assert found("threads") == 3
    assert found("counts") == [2, 2, 2]
    for mode in "eager", "graph":
        kind = ["MirroredVariable", True]
        assert [each[:3] for each in found(mode)] == [[*kind, "0"], [*kind, "1"]]
        assert [each[3:] for each in found(mode)] == [["0", [2]], ["1", [2]]]
    assert found("copies") == [2.0, 5.0]
    assert found("placed in replicas") == [["0", "1"]] * 2
    assert "ran 0 times" in trace("replicas.py")[-1].text


@says(
    "The replicas run …",
    "The second replica …",
)
def test_turns():
    for eager in True, False:
        assert found("order", False, eager) == [0, 0, 1, 1]
        assert found("order", True, eager) == [0, 1, 0, 1]


@says(
    "In this section, the …",
    "There is one …",
    "Both factors can …",
    "The contributions of …",
    "Each example has …",
    "The gradient of the weight …",
    "So each replica …",
    "Each replica runs the …",
    "For $y_i = …",
    "The loss is …",
    "In every replica, …",
    "In the lines `divided …",
    "In the lines `by …",
    "In the lines `and …",
    "With equal parts, the gradients …",
    "For equal parts, …",
    "So divide each …",
    "The program splits …",
    "Each indented line …",
    "For parts of …",
    "with two replicas, …",
    "The gradient of a mean over a batch, …",
)
@over(x=arrays((4,), numbers(1, 9)), w=numbers(1, 9), cut=[1, 2, 3])
def test_parts(x, w, cut):
    def slope(x, divisor):
        return EAGER.gradient(
            lambda w: tf.reduce_sum((w * tf.constant(x)) ** 2) / divisor, w
        ).numpy()

    pieces = x[:cut], x[cut:]
    whole = slope(x, 4.0)
    assert np.isclose(sum(slope(each, 4.0) for each in pieces), whole, 1e-4)
    own = [slope(each, float(len(each))) for each in pieces]
    by_hand = sum(np.mean(2 * w * each**2) for each in pieces)
    assert np.isclose(sum(own), by_hand, 1e-4)
    if cut == 2:
        assert np.isclose(sum(own), 2 * whole, 1e-4)
    figures = [each.numbers[-1] for each in trace("batch.py")]
    right, _, even, twice, mended, _, still, own_size, halved = figures
    assert right == even == mended == still == twice / 2 == 50
    [batch] = re.findall(r"batch = tf.constant\(\[(.*)\]", source("batch.py"))
    assert len(batch.split(",")) == 4
    three, single = 2 * 2 * (1 + 4 + 9) / 3, 2 * 2 * 6**2
    assert np.allclose([own_size, halved], [three + single, (three + single) / 2])


@says(
    "The optimizer adds …",
    "A Keras optimizer …",
    "Gradients that a …",
)
def test_optimizer():
    assert found("optimized") == [2.0 - 0.125 * (3.0 + 7.0)] * 3


@says(
    "All outputs depend …",
    "The gradient of a mean over the …",
    "The reason is …",
    "The output $y_r$ …",
    "If the forward …",
    "An all-reduce computes …",
    "All three agree.",
    "So you don't …",
    "If you write …",
    "The gradient is then …",
    "For example, the …",
    "With equal parts, the mean …",
    "If the parts …",
    "In this section, $n$ …",
    "Replica $s$ holds …",
    "The mean over …",
    "Deliberately wrong: the gradient …",
)
def test_reduced():
    for parts, equal in (([1, 2], [3, 6]), True), (([1, 2, 3], [6]), False):
        of_means = np.mean([np.mean(part) for part in parts])
        assert (of_means == np.mean(np.concatenate(parts))) == equal
    for kind in "mean", "sum":
        for name in kind, f"their {kind}":
            for mode in found("reduced", name):
                assert np.allclose(mode, found("whole", kind), 1e-4, 1e-5)
    for mode in found("reduced", "local"):
        assert not np.allclose(mode, found("whole", "mean"), 0.1, 0.1)
    matrix = np.full((3, 3), 1 / 3)
    assert same(matrix, matrix.T)


@says(
    "In an all-reduce …",
    "If only one …",
    "In a graph, an …",
)
def test_meet():
    for each in found("one alone"):
        assert each.startswith("RuntimeError: ")
        assert "Some replicas made a different number" in each
    assert "merge_call" in source("../../mistakes/devices/wrong/nested.out")


@says(
    "Because the tape …",
    "After this call, …",
    "With the mistake, …",
    "Don't call an …",
    "So the total loss …",
    "In this program, `step(False)` …",
    "If you want …",
    "If you sum …",
    "Deliberately wrong: the loss …",
)
def test_counted():
    for each in found("counted"):
        assert each == [1.0, 3.0, 0.5, 1.5]
    moved = [each.numbers[-2:] for each in trace("wrong/counted.py")]
    assert moved == [[-0.25, -0.25], [-0.5, -0.25]]
    assert [each.text.split(";")[0][-5:] for each in trace("wrong/counted.py")] == [
        "False",
        " True",
    ]


@says(
    "In `model.fit`, Keras …",
    "The program trains …",
    "If the last batch has 3 …",
    "With 16 examples, …",
    "With 18, 17 …",
    "In `model.fit` with …",
    "With batches of …",
    "If the last batch has an …",
    "Each replica computes …",
    "So the third …",
    "A single example …",
    "If the weights …",
    "`model.fit` raises an …",
    "model.fit over a …",
)
def test_fit():
    for n in 4, 6:
        ours, one = found("fitted", n)
        assert np.allclose(ours, one, 1e-6)
    assert found("sizes") == [[2, 2], [1, 0]]
    sizes = [each.numbers[0] for each in trace("fit.py")[:4]]
    assert sizes == [16, 18, 17, 19] and "batch_size=8" in source("fit.py")
    assert [n % 8 or 8 for n in sizes] == [8, 2, 1, 3]
    [[before]] = found("fitted", 4)[0]
    [[ours]], [[one]] = (each for each in found("fitted", 5))
    assert np.isclose(before - ours, (before - one) / 2, 1e-4)
    [[after]], [[alone]] = (each for each in found("fitted", 7))
    halves = 0.5 * np.mean([5**2, 6**2]) + 0.5 * 7**2
    assert np.isclose(after, before * (1 - 0.02 * halves), 1e-4)
    assert np.isclose(alone, before * (1 - 0.02 * (5**2 + 6**2 + 7**2) / 3), 1e-4)
    ours, one = found("fitted", 3)
    assert ours.startswith("InvalidArgumentError") and "AddN" in ours
    assert not isinstance(one, str)
    assert [each.text.endswith("True") for each in trace("fit.py")[:4]] == [
        True,
        True,
        False,
        False,
    ]


@says(
    "A `tf.device` around …",
    "In each part …",
    "The lines `grad …",
    "The gradient function runs on …",
    "In a graph where …",
    "If you set …",
    "After `tf.config.set_soft_device_placement(False)`, TensorFlow …",
    "Where the operations …",
)
def test_placed():
    for each, (eager, graph) in found("placed").items():
        _, back = each.split()
        assert eager == (["0"] if back == "None" else [back[-1]])
        assert graph == ([""] if back == "None" else [back[-1]])
    assert found("soft", True) == [[[2.0, 4.0]]] * 3
    for each in found("soft", False):
        assert isinstance(each, str)
    lines = [each.text for each in trace("placed.py")]
    said = [line for line in lines if "grad on" not in line]
    assert len(said) == 4 and lines[0] == said[0]
    named = lines.index("tf.device in grad: eager, graph")
    assert lines[named + 1].endswith("CPU:1") and lines[named + 2].endswith("CPU:1")


@says(
    "`MultiWorkerMirroredStrategy` has the …",
    "We also ran …",
    "Without a cluster, …",
    "The gradient was …",
    "With one worker, …",
    "The same gradient …",
)
def test_hosts():
    assert trace("hosts.py")[0].numbers == [1, 6, 6]
    x = tf.constant([1.0, 3.0])
    slopes = EAGER.gradient(lambda x: tf.reduce_sum(x * tf.reduce_mean(x) ** 2), x)
    for said_by, slope in zip(of_two_workers(), slopes.numpy(), strict=True):
        assert said_by == [2, [slope, slope]]


@says(
    "The logits $x_s$ …",
    "All replicas need …",
    "Each replica gets …",
    "The gradient function adds …",
    "The local factor …",
    "TensorFlow's `all_reduce` can't …",
    "To avoid overflow, …",
    "Together, the replicas …",
    "log of a …",
    "The largest of …",
)
def test_logsumexp():
    assert [each.name for each in tf.distribute.ReduceOp] == ["SUM", "MEAN"]
    y, x_bar, one = (each.numbers for each in trace("logsumexp.py"))
    assert np.isclose(*y) and np.allclose(x_bar, one, 1e-5)
    x = tf.constant([1.0, 3.0, 2.0, -1.0])
    slopes = EAGER.gradient(lambda x: tf.reduce_logsumexp(x), x)
    assert same(slopes, tf.exp(x - tf.reduce_logsumexp(x)), 1e-5)


@says(
    "an error about …",
    "a gradient that …",
)
def test_catalogue():
    handle = source("../../mistakes/devices/wrong/handle.out")
    assert "handle is not available" in handle
    assert "norm 2.0" in source("../../mistakes/devices/wrong/clip.out")


pointer(
    "You need gradients …",
    "Compare the lines of …",
    "The program computes …",
    "Compare the sums …",
    "Compare the three …",
    "Compare the two …",
    "Compare the last …",
    "Look at the lines …",
    "Compare `x_bar` …",
    "Compare `w moved …",
    "The catalogue of …",
    "We didn't test …",
    "After this page …",
    "What you see …",
    "Derive the gradient …",
)
history("We had no …", "TensorFlow compiles programs …")
advice("So compile your …", "But a run …")
