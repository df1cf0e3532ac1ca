"""The claims of docs/recipes/spiking_quantized.md."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.harness import EAGER, INSIDE, NESTED, OUTSIDE, XLA, contrast, program, same

layers = keras.layers


@pytest.mark.parametrize("place", [EAGER, INSIDE, OUTSIDE, NESTED, XLA], ids=str)
def test_silent_neurons(place):
    spike = program("recipes/spiking_quantized/lif.py").spike
    v = tf.random.stateless_uniform([7, 3], [1, 2], -0.5, 0.9)
    threshold, width = tf.ones([3]), tf.constant(0.3)
    assert same(spike(v, threshold, width), tf.zeros([7, 3]))
    upstream = tf.random.stateless_normal([7, 3], [3, 4])

    def loss(v, threshold, width):
        return tf.reduce_sum(upstream * spike(v, threshold, width))

    of_v, of_threshold, of_width = place.gradients(loss, v, threshold, width)
    assert np.all(abs(of_v) > 1e-6) and np.all(abs(of_threshold) > 1e-6)
    assert of_width is None

    def soft(v, threshold, width):
        return tf.reduce_sum(upstream * tf.sigmoid((v - threshold) / width))

    right = EAGER.gradients(soft, v, threshold, width)
    assert np.allclose(of_v, right[0], atol=1e-5)
    assert np.allclose(of_threshold, right[1], atol=1e-5)
    with contrast("so does the comparison without a custom gradient"):
        plain = program("recipes/spiking_quantized/lif.py").no_gradient
        assert EAGER.gradients(plain, v, threshold, width) == [None] * 3
    with contrast("a potential far below the threshold, too"):
        assert same(place.gradients(loss, v - 100.0, threshold, width)[0], 0.0 * v)


@pytest.mark.parametrize("name", ["Adam", "Nadam", "Adamax"])
def test_first_update(name):
    def moved(kind, value, gradient):
        w = keras.Variable([value])
        kind(0.01).apply([tf.constant([gradient])], [w])
        return w.numpy()[0] - value

    for value in 0.003, 1.0, -20.0:
        for gradient in 1e-3, 2.0, -500.0, 1e15:
            change = moved(getattr(keras.optimizers, name), value, gradient)
            assert np.isclose(change, -0.01 * np.sign(gradient), rtol=0.1)
    with contrast("exactly: Nadam's is 6 % larger"):
        nadam = moved(keras.optimizers.Nadam, 1.0, 2.0)
        assert np.isclose(nadam, -0.01063, rtol=1e-3)
    with contrast("whatever its gradient is"):
        assert moved(keras.optimizers.Adam, 1.0, 1e20) == 0.0
    with contrast("that of plain SGD, too"):
        assert np.isclose(moved(keras.optimizers.SGD, 1.0, -500.0), 5.0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_negative_step(dtype):
    page = program("recipes/spiking_quantized/lsq.py")

    def quantized(x, s, low, high):
        x, s = tf.constant(x, dtype), tf.constant(s, dtype)
        return page.quantize(x, s, low, high, 0)

    x = np.linspace(-2.0, 2.0, 41) + 0.01
    for s in 0.1, 0.3, 0.7:
        for high in 1, 3, 7:
            symmetric = quantized(x, s, -high, high)
            assert same(quantized(x, -s, -high, high), symmetric)
            activations = quantized(np.maximum(x, 0.0), -s, 0, high)
            assert same(activations, np.zeros(41))
            with contrast("a positive step makes them 0, too"):
                assert np.any(quantized(np.maximum(x, 0.0), s, 0, high))
            with contrast("levels that aren't symmetric stay as they are, too"):
                lopsided = [quantized(x, sign * s, -high - 1, high) for sign in (1, -1)]
                assert not same(*lopsided) or s * high > 2.0


CELLS = {
    "SimpleRNN": lambda: layers.SimpleRNN(2, return_sequences=True),
    "GRU": lambda: layers.GRU(2, return_sequences=True),
    "LSTM": lambda: layers.LSTM(2, return_sequences=True),
    "LIF": lambda: layers.RNN(
        program("recipes/spiking_quantized/lif.py").LIF(2), return_sequences=True
    ),
}


@pytest.mark.parametrize("name", CELLS)
def test_repeats_last(name):
    keras.utils.set_random_seed(0)
    inputs = keras.Input([6, 3])
    masked = layers.Masking()(inputs)
    outputs = CELLS[name]()(masked)
    pooled = layers.GlobalAveragePooling1D()(outputs)
    model = keras.Model(inputs, [outputs, pooled])
    x = 3.0 * tf.random.stateless_normal([4, 3, 3], [1, 2])
    sequence, mean = model(tf.pad(x, [[0, 0], [0, 3], [0, 0]]))
    assert same(sequence[:, 3:], tf.repeat(sequence[:, 2:3], 3, axis=1))
    of_steps = tf.reduce_mean(sequence[:, :3], 1)
    assert np.allclose(mean, of_steps, atol=1e-6)
    with contrast("`tf.reduce_mean` does, too"):
        assert not np.allclose(tf.reduce_mean(sequence, 1), of_steps, atol=1e-3)
    with contrast("without a mask, too"):
        plain = CELLS[name]()(tf.pad(x, [[0, 0], [0, 3], [0, 0]]))
        if name != "LIF":  # it may be silent in both
            assert not same(plain[:, 4], plain[:, 3])
    with contrast("the layers in `Bidirectional`, too, which return 0"):
        both = layers.Bidirectional(CELLS["LSTM"]())(masked)
        sequence = keras.Model(inputs, both)(tf.pad(x, [[0, 0], [0, 3], [0, 0]]))
        assert same(sequence[:, 3:], tf.zeros([4, 3, 4]))


@pytest.mark.parametrize("in_graph", [False, True], ids=["eager", "graph"])
@pytest.mark.parametrize("name", ["apply", "apply_gradients"])
def test_constrained(name, in_graph):
    def weight():
        layer = layers.Layer()
        return layer.add_weight(
            shape=(), initializer="ones", constraint=lambda s: tf.maximum(s, 0.25)
        )

    gradient = tf.constant(5.0)
    for kind in keras.optimizers.SGD, keras.optimizers.Adam:
        w, optimizer = weight(), kind(1.0)
        optimizer.build([w])

        def step():
            if name == "apply":
                optimizer.apply([gradient], [w])
            else:
                optimizer.apply_gradients([(gradient, w)])

        (tf.function(step) if in_graph else step)()
        assert same(w.value, 0.25)
    with contrast("`assign_sub`, too"):
        w = weight()
        w.assign_sub(gradient)
        assert same(w, -4.0)
