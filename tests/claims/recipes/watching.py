"""The claims of docs/recipes/watching.md."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.harness import BLOCKS, EAGER, INSIDE, NESTED, OUTSIDE, contrast, program

layers = keras.layers
x = tf.random.stateless_normal([8, 3], [1, 2])
y = 5.0 + tf.random.stateless_normal([8, 1], [3, 4])


class Recorder(keras.optimizers.SGD):
    """Keeps the last gradients, as the page's optimizer keeps their norms."""

    def build(self, variables):
        if not self.built:
            self.last = [tf.Variable(tf.zeros(v.shape)) for v in variables]
        super().build(variables)

    def apply(self, grads, trainable_variables=None):
        for last, gradient in zip(self.last, grads):
            last.assign(tf.cast(gradient, tf.float32))
        super().apply(grads, trainable_variables)


def fitted(optimizer, policy="float32", run_eagerly=False, batch_size=8):
    """Return the gradients that the optimizer got last, and the first weights."""
    keras.utils.set_random_seed(0)
    dense = layers.Dense(4, "tanh", dtype=policy)
    model = keras.Sequential([keras.Input([3]), dense, layers.Dense(1)])
    inner = optimizer
    if policy == "mixed_float16":
        optimizer = keras.optimizers.LossScaleOptimizer(inner, initial_scale=256.0)
    model.compile(optimizer, "mse", run_eagerly=run_eagerly)
    optimizer.build(model.trainable_variables)
    start = model.get_weights()
    model.fit(x, y, batch_size=batch_size, shuffle=False, verbose=0)
    return [last.numpy() for last in inner.last], start, model


def right_gradients(model, start, x, y):
    """Return the gradients of the mean squared error."""
    model.set_weights(start)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x, training=True) - y))
    return tape.gradient(loss, [w.value for w in model.trainable_variables])


@pytest.mark.parametrize("policy", ["float32", "mixed_float16"])
def test_before_clipping(policy):
    for clip in {"global_clipnorm": 0.1}, {"clipvalue": 0.01}:
        last, start, model = fitted(Recorder(0.1, **clip), policy)
        after = model.get_weights()
        right = right_gradients(model, start, x, y)
        assert all(np.allclose(a, b, rtol=0.02, atol=0.01) for a, b in zip(last, right))
        with contrast("after it clips them"):
            moved = [(a - b) / 0.1 for a, b in zip(start, after)]
            assert not np.allclose(last[-1], moved[-1], rtol=0.1)
        if policy == "mixed_float16":
            with contrast("multiplied by the loss scale"):
                assert not np.allclose(last[-1], 256.0 * right[-1], rtol=0.1)


@pytest.mark.parametrize("run_eagerly", [False, True])
@pytest.mark.parametrize("steps", [2, 4])
def test_small_batch(steps, run_eagerly):
    recorder, size = Recorder(0.1, gradient_accumulation_steps=steps), 8 // steps
    last, start, model = fitted(recorder, run_eagerly=run_eagerly, batch_size=size)
    of_last = right_gradients(model, start, x[-size:], y[-size:])
    of_all = right_gradients(model, start, x, y)
    assert all(np.allclose(a, b, atol=1e-4) for a, b in zip(last, of_last))
    with contrast("the mean of the accumulated gradients"):
        assert not np.allclose(last[0], of_all[0], rtol=0.05)
    with contrast("the sum of the accumulated gradients"):
        assert not np.allclose(last[0], steps * of_all[0], rtol=0.05)


def add_probe(layer):
    """Send the input of a layer through the page's probe."""
    probe, call = program("recipes/watching/find_nan.py").probe, layer.call
    layer.call = lambda x, **options: call(probe(x, tf.constant(layer.name)), **options)


def printed_names(place, at, capfd, root=lambda x: tf.sqrt(tf.nn.relu(x))):
    """Differentiate a model with a square root of 0, and read what the probes print.

    Args:
        place: of the tape, or None for `fit`.
        at: the position of the square root.
        capfd: captures what the probes print.
        root: the function with the square root.
    """
    keras.utils.set_random_seed(0)
    parts = [layers.Dense(4, "tanh", name=f"dense_{i}") for i in range(4)]
    parts[at] = layers.Lambda(root, name="root")
    if root is tf.sqrt:
        parts.insert(at, layers.ReLU(name="relu"))
    model = keras.Sequential([keras.Input([3]), *parts])
    for layer in model.layers:
        add_probe(layer)
    if place is None:
        model.compile("sgd", "mse", jit_compile=False)
        model.fit(x, tf.ones([8, 4]), batch_size=8, verbose=0)
    else:
        gradient = place.gradient(lambda x: tf.reduce_sum(model(x)), x)
        assert not np.isfinite(gradient).all()
    lines = capfd.readouterr().err.splitlines()
    return [line.split()[5].strip('"') for line in lines if "not finite" in line]


@pytest.mark.parametrize("place", [EAGER, INSIDE, NESTED, None], ids=str)
@pytest.mark.parametrize("at", [1, 2])
def test_first_line(place, at, capfd):
    names = printed_names(place, at, capfd)
    assert names[0] == "root"
    # In `fit`, the input of the first layer needs no gradient, so it prints nothing.
    right = ["root", *(["dense_1"] if at == 2 else []), "dense_0"]
    assert names == (right[:-1] if place is None else right)
    if at == 2:
        with contrast("the last line"):
            assert names[-1] != "root"
        with contrast("only NaN: behind the root alone, the gradient is infinite"):
            assert np.isinf(EAGER.gradient(tf.sqrt, 0.0))
            assert printed_names(place, at, capfd, tf.sqrt)[:2] == ["root", "relu"]


@pytest.mark.parametrize("at", [1, 2])
def test_prints_nothing(at, capfd):
    assert printed_names(OUTSIDE, at, capfd) == []
    with contrast("with the tape inside, too"):
        assert printed_names(INSIDE, at, capfd)
    with contrast("also if it calls another tf.function, which calls the model"):
        assert printed_names(BLOCKS[0], at, capfd)[0] == "root"
