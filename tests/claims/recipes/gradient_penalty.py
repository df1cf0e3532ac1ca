"""The claims of docs/recipes/gradient_penalty.md."""

import functools
import json

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.harness import (
    EAGER,
    INSIDE,
    OUTSIDE,
    contrast,
    elsewhere,
    message,
    program,
    same,
    source,
)

layers = keras.layers


def dense():
    """Return a critic of vectors."""
    return [keras.Input([6]), layers.Dense(5, "tanh"), layers.Dense(1)]


def batch_normalized():
    """Return a critic of vectors whose examples act on each other in training."""
    normalization = layers.BatchNormalization()
    return [keras.Input([6]), layers.Dense(5), normalization, layers.Dense(1, "tanh")]


CRITICS = {
    "dense": dense,
    "convolution": lambda: [
        keras.Input([4, 4, 2]),
        *(layers.Conv2D(3, 3, activation="tanh"), layers.Flatten(), layers.Dense(1)),
    ],
    "recurrent": lambda: [keras.Input([3, 2]), layers.GRU(4), layers.Dense(1)],
    "layer normalization": lambda: [
        keras.Input([3, 4]),
        *(layers.LayerNormalization(), layers.Flatten(), layers.Dense(1)),
    ],
}


def points_of(critic, examples, dtype=tf.float32):
    """Draw examples in the shape of a critic's input."""
    shape = [examples, *critic.input_shape[1:]]
    return tf.random.stateless_normal(shape, [1, 2], dtype=dtype)


@pytest.mark.parametrize("place", [EAGER, INSIDE, OUTSIDE], ids=str)
def test_own_score(place):
    for build in CRITICS.values():
        keras.utils.set_random_seed(0)
        critic = keras.Sequential(build())
        points = points_of(critic, 4)

        def scores_of(x, critic=critic):
            return critic(x, training=True)

        together = place.gradient(scores_of, points)
        own = [EAGER.gradient(scores_of, points[i : i + 1])[0] for i in range(4)]
        assert np.allclose(together, own, atol=1e-5)
    keras.utils.set_random_seed(0)
    critic = keras.Sequential(batch_normalized())
    points = points_of(critic, 4)

    def own_gradients(training):
        with tf.GradientTape() as tape:
            tape.watch(points)
            scores = critic(points, training=training)[:, 0]
        jacobian = tape.jacobian(scores, points)
        return jacobian, tf.stack([jacobian[i, i] for i in range(4)])

    jacobian, own = own_gradients(training=True)
    together = place.gradient(lambda x: critic(x, training=True), points)
    assert np.allclose(together, tf.reduce_sum(jacobian, 0), atol=1e-4)
    with contrast("also with batch normalization in training"):
        assert not np.allclose(together, own, rtol=0.1, atol=1e-3)
    _, own = own_gradients(training=False)
    together = place.gradient(lambda x: critic(x, training=False), points)
    with contrast("batch normalization with `training=False` breaks this, too"):
        assert np.allclose(together, own, atol=1e-5)


BODIES = {
    "dense": lambda: [keras.Input([2]), layers.Dense(4, "relu")],
    "deep": lambda: [
        keras.Input([2]),
        *(layers.Dense(4, "relu"), layers.Dense(4, "relu")),
    ],
    "convolution": lambda: [
        keras.Input([3, 3, 1]),
        *(layers.Conv2D(2, 2, activation="relu"), layers.Flatten()),
    ],
}


def with_norm(critic, points):
    """Return the penalty with tf.norm instead of the root of a maximum."""
    with tf.GradientTape() as tape:
        tape.watch(points)
        scores = critic(points, training=True)
    gradients = tape.gradient(scores, points)
    norms = tf.norm(tf.reshape(gradients, [len(points), -1]), axis=1)
    return tf.reduce_mean(tf.square(norms - 1.0))


@pytest.mark.parametrize(
    ("jit_compile", "kind"),
    [(False, "dense"), (False, "convolution"), (True, "dense"), (True, "deep")],
)
def test_zero_norm(jit_compile, kind):
    with_maximum = program("recipes/gradient_penalty/penalty.py").gradient_penalty
    keras.utils.set_random_seed(0)
    critic = keras.Sequential([*BODIES[kind](), layers.Dense(1)])
    first = critic.layers[0]
    first.bias.assign(tf.fill(first.bias.shape, -0.1))
    on = 3.0 + points_of(critic, 1)
    off = tf.zeros_like(on)
    assert same(EAGER.gradient(critic, off), off)
    kernels = [w.value for w in critic.weights if w.name == "kernel"]

    def gradients(penalty_of, points):
        with tf.GradientTape() as tape:
            penalty = penalty_of(critic, points)
        return penalty, tape.gradient(penalty, kernels)

    graph = tf.function(gradients, jit_compile=jit_compile)
    for run in [gradients, graph] if kind == "dense" else [graph]:
        penalty, with_nan = run(with_norm, tf.concat([on, off], 0))
        assert np.isfinite(penalty)
        is_nan = [bool(np.isnan(gradient).all()) for gradient in with_nan]
        is_finite = [bool(np.isfinite(gradient).all()) for gradient in with_nan]
        assert is_nan[0]
        if jit_compile and run is graph:
            with contrast("under XLA with respect to every kernel, too"):
                assert all(is_finite[1:])
        else:
            assert all(is_nan)
        _, of_both = run(with_maximum, tf.concat([on, off], 0))
        penalty, of_on = run(with_maximum, on)
        assert np.isfinite(penalty)
        with contrast("also with `tf.maximum(squares, 1e-12)` under the root"):
            assert all(np.allclose(a, b / 2, 1e-4) for a, b in zip(of_both, of_on))
        with contrast("also if no input gradient is 0"):
            _, of_norm = run(with_norm, on)
            assert all(np.allclose(a, b, 1e-4) for a, b in zip(of_norm, of_on))


CASES = """
def one_step(compute_loss, share, strategy):
    \"\"\"Return the kernel's change in one step of SGD with learning rate 1.\"\"\"

    class Model(keras.Sequential):
        def compute_loss(self, x=None, y=None, y_pred=None, *_, **__):
            loss = tf.reduce_mean(tf.square(y - y_pred))
            strategy = tf.distribute.get_strategy()
            return loss / strategy.num_replicas_in_sync if share else loss

    with strategy.scope():
        kind = Model if compute_loss else keras.Sequential
        model = kind([keras.Input([2]), keras.layers.Dense(1)])
        model.layers[0].kernel.assign([[0.5], [-1.0]])
        model.compile(keras.optimizers.SGD(1.0), None if compute_loss else "mse")
    x = tf.constant([[1.0, 2.0], [3.0, -1.0], [0.5, 0.0], [2.0, 2.0]])
    before = model.layers[0].kernel.numpy()
    model.fit(x, tf.ones([4, 1]), batch_size=4, verbose=0)
    return (model.layers[0].kernel.numpy() - before).ravel().tolist()


two = tf.distribute.MirroredStrategy(devices)
one = tf.distribute.get_strategy()
print(json.dumps({
    "one": one_step(True, True, one),
    "divided": one_step(True, True, two),
    "undivided": one_step(True, False, two),
    "compiled": one_step(False, False, two),
}))
"""


@functools.cache
def on_replicas():
    """Return what the cases print in a process with two devices."""
    text = source("recipes/gradient_penalty/everywhere.py").partition("def train")[0]
    return json.loads(elsewhere("import json\n" + text + CASES).splitlines()[-1])


def test_divide_on_replicas():
    steps = on_replicas()
    assert np.allclose(steps["undivided"], 2 * np.array(steps["one"]), rtol=1e-4)
    assert np.allclose(steps["divided"], steps["one"], rtol=1e-4)
    with contrast("divides what a custom `compute_loss` returns by their number"):
        assert not np.allclose(steps["undivided"], steps["one"], rtol=0.1)
    with contrast('nor the loss that it computes itself, such as `"mse"`'):
        assert np.allclose(steps["compiled"], steps["one"], rtol=1e-4)


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
def test_float32_scores(policy):
    real, generated = 1.0 + tf.zeros([8, 2]), tf.random.stateless_normal([8, 2], [1, 2])
    page = program("recipes/gradient_penalty/penalty.py")

    def critic(last, run_eagerly=False):
        model = page.Critic()
        model.network = keras.Sequential(
            [layers.Dense(4, "tanh", dtype=policy), layers.Dense(1, dtype=last)]
        )
        model.compile(keras.optimizers.SGD(0.1), run_eagerly=run_eagerly)
        return model

    mixed, plain = critic(policy), critic("float32")
    for model in mixed, plain:
        assert page.input_gradients(model.network, real).dtype == tf.float32
        assert page.gradient_penalty(model.network, real).dtype == tf.float32
    compute_dtype = keras.DTypePolicy(policy).compute_dtype
    assert mixed.network(real).dtype == compute_dtype
    for run_eagerly in False, True:
        model = critic(policy, run_eagerly)
        error = message(lambda model=model: model.fit(real, generated, verbose=0))
        in_graph = "Sub' Op has type {} that does not match type float32"
        eagerly = (
            "cannot compute Sub as input #1(zero-based) was expected to be a float"
        )
        told = eagerly if run_eagerly else in_graph.format(compute_dtype)
        assert told in error
    with contrast("also if the last layer is float32"):
        assert not message(lambda: plain.fit(real, generated, verbose=0))
