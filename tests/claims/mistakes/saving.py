"""The claims of docs/mistakes/saving.md."""

import json
import tempfile

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.harness import EAGER, contrast, elsewhere, message, same

X = np.float32([[0.5, 2.0]])


@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda upstream: -upstream


def in_numpy(x):
    return tf.ensure_shape(tf.numpy_function(np.sin, [x], x.dtype), x.shape)


def in_python(x):
    return tf.ensure_shape(tf.py_function(tf.sin, [x], x.dtype), x.shape)


_CALL = """
import json
import tensorflow as tf

def result(call):
    try:
        return tf.convert_to_tensor(call()).numpy().tolist()
    except Exception as error:
        return str(error)

def gradient(function):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)

model, x = tf.saved_model.load({folder!r}), tf.constant({x!r})
results = {{}}
for name in {names!r}:
    function = getattr(model, name)
    results[name] = [result(lambda: function(x)), result(lambda: gradient(function))]
print(json.dumps(results))
"""


@pytest.mark.parametrize("call", [in_numpy, in_python])
def test_no_callback(call):
    functions = {
        "forward": tf.custom_gradient(lambda x: (call(x), lambda u: u)),
        "in_grad": tf.custom_gradient(lambda x: (2.0 * x, lambda u: call(u))),
        "branch": lambda x: tf.cond(tf.size(x) > 9, lambda: call(x), lambda: 3.0 * x),
        "without": lambda x: reverse(x),
    }
    module = tf.Module()
    for name, function in functions.items():
        signature = [tf.TensorSpec(X.shape)]
        setattr(module, name, tf.function(function, input_signature=signature))
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder)
        loaded = tf.saved_model.load(folder)
        program = _CALL.format(folder=folder, x=X.tolist(), names=[*functions])
        printed = elsewhere(program)
    results = json.loads(printed.splitlines()[-1])
    for result in *results["forward"], results["in_grad"][1]:
        assert "Could not find callback with key" in result
    assert same(results["branch"][0], 3 * X)
    with contrast("that contains one, even if it doesn't run it"):
        assert same(results["in_grad"][0], 2 * X) and same(
            results["without"], [X, -X / X]
        )
    with contrast("in the process that saved it, too"):
        assert same(loaded.forward(tf.constant(X)), np.sin(X), 1e-6)


def through_file(function):
    """Save a model of a Lambda layer, and load it with ``safe_mode=False``."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/model.keras"
        layer = keras.layers.Lambda(function, output_shape=(2,))
        keras.Sequential([keras.Input([2]), layer]).save(path)
        refused = message(keras.models.load_model, path)
        assert "deserialization of a `Lambda` layer" in refused
        return keras.models.load_model(path, safe_mode=False)


FACTOR = 3.0


def test_without_globals():
    calls = {
        "reverse": lambda x: reverse(x),
        "in_numpy": lambda x: x + in_numpy(x),
        "FACTOR": lambda x: x * FACTOR,
    }
    for name, function in calls.items():
        error = message(through_file(function), X)
        assert error.startswith("NameError")
        assert f"name '{name}' is not defined" in error

    def scaled(factor):
        return lambda x: x * factor

    for function, value in ((lambda x: x * x, X * X), (scaled(3.0), 3 * X)):
        with contrast("when it is called, whatever it uses"):
            assert same(through_file(function)(X), value)
    with contrast("a named function, too"):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/model.keras"
            layer = keras.layers.Lambda(reverse_named)
            keras.Sequential([keras.Input([2]), layer]).save(path)
            model = keras.models.load_model(
                path, custom_objects={"reverse_named": reverse_named}
            )
        assert same(EAGER.gradient(model, X), [[-1.0, -1.0]])


def reverse_named(x):
    return reverse(x)


class Model(tf.Module):
    """A plain method, and functions with and without a signature."""

    def method(self, x):
        return reverse(x)

    def __init__(self):
        super().__init__()
        self.untraced = tf.function(reverse)
        self.called = tf.function(reverse)
        self.signed = tf.function(reverse, input_signature=[tf.TensorSpec([None, 2])])
        self.inner = {"untraced": tf.function(reverse), "called": tf.function(reverse)}


def test_only_traces():
    model, x = Model(), tf.constant(X)
    model.called(x)
    model.inner["called"](x)
    model.method(x)
    assert message(model.untraced.get_concrete_function)  # no trace, and no signature
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(model, folder)
        loaded = tf.saved_model.load(folder)
    for function in loaded.signed, loaded.called, loaded.inner["called"]:
        assert same(EAGER.gradient(function, x), -tf.ones_like(x))
    for function in loaded.untraced, loaded.inner["untraced"]:
        assert "Found zero restored functions" in message(function, x)
    assert not hasattr(loaded, "method")
    with contrast("also a plain method that a traced function calls"):

        class Calling(Model):
            @tf.function(input_signature=[tf.TensorSpec([None, 2])])
            def by_method(self, x):
                return self.method(x)

        with tempfile.TemporaryDirectory() as folder:
            tf.saved_model.save(Calling(), folder)
            loaded = tf.saved_model.load(folder)
        assert same(EAGER.gradient(loaded.by_method, x), -tf.ones_like(x))
    with contrast("for each shape, if it was called"):
        with tempfile.TemporaryDirectory() as folder:
            tf.saved_model.save(model, folder)
            called = tf.saved_model.load(folder).called
        assert message(called, tf.ones([3, 3]))
