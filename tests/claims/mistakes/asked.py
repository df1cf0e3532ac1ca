"""The claims of docs/mistakes/asked.md."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.harness import contrast, raised, same

X = np.ones([4, 1], "float32")
WRAPS = {"eager": lambda function: function, "inside": tf.function}


def dense(outputs, **options):
    """A compiled model of one layer, with one output or with a list of two."""
    inputs = keras.Input([1])
    layers = [keras.layers.Dense(1, kernel_initializer="ones") for _ in range(outputs)]
    tensors = [layer(inputs) for layer in layers]
    model = keras.Model(inputs, tensors if outputs > 1 else tensors[0])
    metrics = [["mae"]] * outputs
    model.compile("sgd", "mse", metrics=metrics, **options)
    return model


@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("run_eagerly", [False, True])
def test_no_tensors(run_eagerly, outputs):
    model = dense(outputs, run_eagerly=run_eagerly)
    y = [X] * outputs if outputs > 1 else X
    calls = {
        "predict": lambda: model.predict(X, verbose=0),
        "predict_on_batch": lambda: model.predict_on_batch(X),
        "evaluate": lambda: model.evaluate(X, y, verbose=0),
        "predict_step": lambda: model.predict_step([X]),
    }
    for name, call in calls.items():
        with tf.GradientTape() as tape:
            results = tf.nest.flatten(call())
            loss = tf.add_n([tf.reduce_sum(result) for result in results])
        gradients = tape.gradient(loss, model.trainable_variables)
        if name != "predict_step":
            kinds = np.ndarray | np.generic | float
            assert all(isinstance(result, kinds) for result in results)
            assert gradients == [None, None] * outputs
        else:
            with contrast("so do all methods, also model.predict_step"):
                assert all(map(tf.is_tensor, results))
                assert same(gradients[:2], [[[4.0]], [4.0]])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
def test_watch_rejects(wrap, dtype):
    layer = keras.layers.BatchNormalization(dtype=dtype)
    inputs = keras.Input([1], dtype=dtype)
    layer(inputs)

    def watch(source):
        def run():
            with tf.GradientTape() as tape:
                tape.watch(source)
            return tf.zeros([])

        return raised(wrap(run))

    weights = layer.gamma, layer.moving_mean, keras.Variable(1.0, dtype=dtype)
    for source in (*weights, X.astype(dtype), np.array(2, dtype)[()], 2.0, inputs):
        error = watch(source)
        assert isinstance(error, ValueError) and "Passed in object" in str(error)
    for weight in weights:
        assert watch(weight.value) is None
    with contrast("for each object that isn't a tf.Variable, also for a tensor"):
        assert watch(tf.constant(X)) is None
    with contrast(
        "only for weights that are trainable: the value of any can be watched"
    ):
        with tf.GradientTape() as tape:
            tape.watch(layer.moving_mean.value)
            y = layer.moving_mean * 3
        assert tape.gradient(y, layer.moving_mean.value) == 3
