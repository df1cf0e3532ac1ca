"""The claims of docs/recipes/accumulation.md."""

import json

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.harness import contrast, elsewhere

optimizers = keras.optimizers
CLIPS = {
    "nothing": {},
    "global_clipnorm": {"global_clipnorm": 0.5},
    "clipnorm": {"clipnorm": 0.3},
    "clipvalue": {"clipvalue": 0.05},
}
gradients = tf.random.stateless_normal([6, 4], [1, 2])


def run(optimizer, parts, in_graph=False):
    """Give gradients to an optimizer, and return the weights after each of them."""
    w = keras.Variable([1.0, -2.0, 0.5, 3.0])
    optimizer.build([w])
    apply = tf.function(optimizer.apply) if in_graph else optimizer.apply
    history = [w.numpy()]
    for part in parts:
        apply([part])
        history.append(w.numpy())
    return history


def means(parts, number):
    """Return the mean of each group of gradients."""
    return tf.reduce_mean(tf.reshape(parts, [-1, number, parts.shape[-1]]), 1)


def close(one, other):
    """Compare two arrays or lists of arrays."""
    return np.allclose(one, other, atol=1e-5)


@pytest.mark.parametrize("in_graph", [False, True], ids=["eager", "graph"])
@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_clips_the_mean(name, in_graph):
    kind = getattr(optimizers, name)
    for options in CLIPS.values():
        for number in 2, 3:
            steps = kind(0.1, gradient_accumulation_steps=number, **options)
            small = run(steps, gradients, in_graph)[number::number]
            assert close(small, run(kind(0.1, **options), means(gradients, number))[1:])
    steps = optimizers.SGD(0.1, gradient_accumulation_steps=3, **CLIPS["clipnorm"])
    small = run(steps, gradients[:3])[-1]
    with contrast("each gradient, not the mean"):
        each = tf.reduce_mean(tf.clip_by_norm(gradients[:3], 0.3, 1), 0)
        assert not close(small, run(optimizers.SGD(0.1), [each])[-1])
    with contrast("clips the sum, not the mean"):
        steps = optimizers.SGD(0.1, gradient_accumulation_steps=3, clipvalue=0.05)
        whole = run(optimizers.SGD(0.1, clipvalue=0.05), [0.01 * gradients[0]])[-1]
        assert close(run(steps, [0.01 * gradients[0]] * 3)[-1], whole)


def schedule(boundary):
    """Return a learning rate that is 0 after the given iteration."""
    return optimizers.schedules.PiecewiseConstantDecay([boundary], [0.1, 0.0])


@pytest.mark.parametrize("in_graph", [False, True], ids=["eager", "graph"])
@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_counts_small_batches(name, in_graph):
    kind = getattr(optimizers, name)
    optimizer = kind(schedule(2), gradient_accumulation_steps=3)
    history = run(optimizer, gradients, in_graph)
    moves = [not close(a, b) for a, b in zip(history, history[1:])]
    assert moves == [False, False, True, False, False, False]
    assert optimizer.iterations == 2
    with contrast("the steps of the optimizer, of which it allows more than one"):
        history = run(kind(schedule(2)), means(gradients, 3), in_graph)
        assert not close(history[1], history[2])
    averages = {"use_ema": True, "ema_momentum": 0.5}
    optimizer = kind(0.1, gradient_accumulation_steps=2, **averages)
    history = run(optimizer, gradients, in_graph)
    average, by_steps = history[2], history[2]
    for weights in history[3:]:
        average = 0.5 * average + 0.5 * weights
    for weights in history[4::2]:
        by_steps = 0.5 * by_steps + 0.5 * weights
    [ema] = optimizer._model_variables_moving_average
    assert close(ema, average)
    with contrast("the average of `use_ema` moves with the optimizer's steps"):
        assert not close(ema, by_steps)


def slices(parts):
    """Make gradients of a table, in which each batch looks up a row twice."""
    indices = tf.constant([0, 2, 0])
    return [tf.IndexedSlices(part, indices, [4, 1]) for part in parts]


def table_after(optimizer, parts):
    """Return a table of four rows after an optimizer got gradients."""
    table = keras.Variable([[1.0], [-2.0], [0.5], [3.0]])
    optimizer.build([table])
    for part in parts:
        optimizer.apply([part])
    return table.numpy()


@pytest.mark.parametrize("name", ["Adam", "RMSprop", "SGD"])
def test_accumulates_dense(name):
    kind = getattr(optimizers, name)
    parts = slices(tf.random.stateless_uniform([2, 3, 1], [1, 2]))
    values = tf.concat([part.values / 2 for part in parts], 0)
    indices = tf.concat([part.indices for part in parts], 0)
    whole = tf.IndexedSlices(values, indices, [4, 1])
    for label, options in CLIPS.items() if name == "SGD" else [("nothing", {})]:
        steps = kind(0.1, gradient_accumulation_steps=2, **options)
        accumulated = table_after(steps, parts)
        dense = table_after(kind(0.1, **options), [tf.convert_to_tensor(whole)])
        sparse = table_after(kind(0.1, **options), [whole])
        assert close(accumulated, dense)
        if name != "SGD" or label != "nothing":
            assert not close(accumulated, sparse)
        else:
            with contrast("SGD without clipping takes another step, too"):
                assert close(accumulated, sparse)
    with contrast("also where it doesn't clip"):
        for name in ("clipnorm", "global_clipnorm", "clipvalue"):
            options = {name: 10.0}
            steps = optimizers.SGD(0.1, gradient_accumulation_steps=2, **options)
            in_one = table_after(optimizers.SGD(0.1, **options), [whole])
            assert close(table_after(steps, parts), in_one)
    unique = tf.IndexedSlices(whole.values[:2], [0, 2], [4, 1])
    with contrast("also if a batch looks up each row at most once"):
        steps = kind(0.1, gradient_accumulation_steps=2)
        accumulated = table_after(steps, [unique, unique])
        assert close(accumulated, table_after(kind(0.1), [unique]))


_STRATEGIES = """
import json
import keras
import tensorflow as tf

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(
    cpu, [tf.config.LogicalDeviceConfiguration()] * 2)


def error(strategy, steps, run_eagerly):
    with strategy.scope():
        model = keras.Sequential([keras.Input([2]), keras.layers.Dense(1)])
        optimizer = keras.optimizers.SGD(gradient_accumulation_steps=steps)
        model.compile(optimizer, "mse", run_eagerly=run_eagerly)
    try:
        model.fit(tf.ones([8, 2]), tf.ones([8, 1]), 4, verbose=0)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


one = tf.distribute.MirroredStrategy(["CPU:0"])
two = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
print(json.dumps({
    "graph": [error(one, 2, False), error(two, 2, False)],
    "no accumulation": [error(two, None, False)],
    "eager": [error(one, 2, True)],
}))
"""


def test_mirrored_raises():
    errors = json.loads(elsewhere(_STRATEGIES).splitlines()[-1])
    for error in errors["graph"]:
        assert error.startswith("RuntimeError") and "merge_call" in error
    with contrast("also without `gradient_accumulation_steps`"):
        assert errors["no accumulation"] == [""]
    with contrast("also with `run_eagerly=True`"):
        assert errors["eager"] == [""]


MOVING = {
    "momentum": lambda: optimizers.SGD(0.1, momentum=0.9),
    "Adam": lambda: optimizers.Adam(0.1),
    "weight decay": lambda: optimizers.SGD(0.1, weight_decay=0.1),
}


@pytest.mark.parametrize("in_graph", [False, True], ids=["eager", "graph"])
def test_zero_gradient(in_graph):
    def moves(optimizer, is_fresh=False, start=(1.0, -2.0)):
        w = keras.Variable(start)
        optimizer.build([w])
        apply = optimizer.apply
        if in_graph:
            apply = tf.function(lambda gradients: optimizer.apply(gradients))
        if not is_fresh:
            apply([tf.constant([2.0, 1.0])])
        before = w.numpy()
        apply([tf.zeros([2])])
        assert optimizer.iterations == 2 - is_fresh
        return (w.numpy() != before).all()

    assert not moves(optimizers.SGD(0.1))
    assert all(moves(build()) for build in MOVING.values())
    with contrast("plain SGD, too"):
        assert not moves(optimizers.SGD(0.1))
    with contrast("every adaptive optimizer, such as RMSprop, too"):
        assert not moves(optimizers.RMSprop(0.1))
    with contrast("momentum and Adam also before any other step"):
        fresh = {name: moves(build(), is_fresh=True) for name, build in MOVING.items()}
        assert fresh == {"momentum": False, "Adam": False, "weight decay": True}
    with contrast("weight decay also moves a weight that is 0"):
        assert not moves(MOVING["weight decay"](), is_fresh=True, start=(0.0, 0.0))


@pytest.mark.parametrize("name", ["Adam", "AdamW", "Nadam", "Adamax"])
def test_adam_hides(name):
    def moved(kind, factors):
        w = keras.Variable([1.0, -2.0, 3.0])
        optimizer = kind(0.1)
        for step, factor in enumerate(factors):
            gradient = tf.constant([1.0, -0.5, 0.1 + step])
            optimizer.apply([factor * gradient], [w])
        return w.numpy()

    kind = getattr(optimizers, name)
    right = moved(kind, [1.0] * 4)
    for factor in 0.1, 4.0, 1e3:
        assert np.allclose(moved(kind, [factor] * 4), right, atol=1e-3)
    with contrast("plain SGD does, too"):
        plain = [moved(optimizers.SGD, [factor] * 4) for factor in (1.0, 4.0)]
        assert not np.allclose(*plain, atol=0.1)
    with contrast("also a factor that changes from step to step"):
        changing = moved(kind, [1.0, 10.0, 1.0, 10.0])
        assert not np.allclose(changing, right, atol=0.01)
