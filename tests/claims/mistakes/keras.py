"""The claims of docs/mistakes/keras.md."""

import warnings

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.harness import EAGER, contrast, message, raised, same

X = np.ones([4, 1], "float32")
FITS = [{}, {"run_eagerly": True}]


def reverse(x):
    """Return x and a gradient function that reverses the sign."""
    return x * 1.0, lambda upstream: -upstream


DECORATED = {
    "tf.custom_gradient": (tf.custom_gradient(reverse), -1.0),
    "keras.ops.custom_gradient": (keras.ops.custom_gradient(reverse), -1.0),
    "tf.recompute_grad": (tf.recompute_grad(lambda x: x * 3.0), 3.0),
}


@pytest.mark.parametrize("name", DECORATED)
def test_symbolic_raises(name):
    decorated, slope = DECORATED[name]
    for inputs in keras.Input([2]), keras.layers.Dense(2)(keras.Input([3])):
        error = message(decorated, inputs)
        assert error.startswith("ValueError: A KerasTensor cannot be used as input")
        with contrast("also if a layer calls it"):

            class Layer(keras.layers.Layer):
                def call(self, x):
                    return decorated(x)

            model = keras.Model(inputs, Layer()(inputs))
            assert same(EAGER.gradient(model, np.ones([1, 2])), [[slope] * 2])
    with contrast("so does each function of tensors, also an operation of Keras"):
        assert isinstance(keras.ops.sin(keras.Input([2])), keras.KerasTensor)


OPTIMIZERS = {
    "SGD": lambda: keras.optimizers.SGD(0.1),
    "momentum": lambda: keras.optimizers.SGD(0.1, momentum=0.9),
    "Adam": lambda: keras.optimizers.Adam(0.1),
    "LossScale": lambda: keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD()),
}


@pytest.mark.parametrize("kind", [tf.Variable, keras.Variable], ids=["tf", "keras"])
@pytest.mark.parametrize("first", ["apply", "apply_gradients", "build"])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_first_call_builds(name, first, kind):
    optimizer = OPTIMIZERS[name]()
    variables = [kind([1.0, 2.0]) for _ in range(3)]
    *known, other = variables
    slope = tf.constant([0.5, 0.5])
    if first == "apply":
        optimizer.apply([slope, slope], known)
    elif first == "apply_gradients":
        optimizer.apply_gradients([(slope, variable) for variable in known])
    else:
        optimizer.build(known)
    for others in [other], [known[0], other]:
        error = message(optimizer.apply, [slope] * len(others), others)
        assert error.startswith("ValueError") and "Unknown variable" in error
    with contrast("exactly these variables, and reject some of them"):
        for some in [known[1]], [known[0]], known[::-1]:
            before = known[1].numpy()
            assert not message(optimizer.apply, [slope] * len(some), some)
            moved = not same(known[1].numpy(), before)
            assert moved == any(variable is known[1] for variable in some)
    with contrast("any variable with which a later call builds it"):
        optimizer.build([*known, other])
        assert "Unknown variable" in message(optimizer.apply, [slope], [other])


def fitted(layer, **options):
    """Fit a model of a dense layer and another one; return it and its warnings."""
    dense = keras.layers.Dense(1, kernel_initializer="ones")
    model = keras.Sequential([keras.Input([1]), dense, layer])
    model.compile(keras.optimizers.SGD(0.1), "mse", **options)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, 0 * X, verbose=0)
    assert dense.kernel.numpy() != 1
    return model, [warning.message for warning in caught]


@pytest.mark.parametrize("kind", [tf.Variable, keras.Variable], ids=["tf", "keras"])
@pytest.mark.parametrize("options", FITS, ids=str)
def test_captured_by_lambda(options, kind):
    decorated = tf.custom_gradient(
        lambda x, w: (x * w, lambda u: (u * w, tf.reduce_sum(u * x)))
    )
    functions = {
        "plain": lambda x, w: x * tf.convert_to_tensor(w),
        "decorated": lambda x, w: decorated(x, tf.convert_to_tensor(w)),
    }
    for function in functions.values():
        w = kind(1.0)
        layer = keras.layers.Lambda(lambda x, f=function, w=w: f(x, w))
        model, caught = fitted(layer, **options)
        assert not caught and not layer.weights
        assert w.numpy() == 1 and len(model.trainable_variables) == 2

    class Scale(keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.w = self.add_weight(shape=(), initializer="ones")

        def call(self, x):
            return x * self.w

    with contrast("no layer tracks a variable, not even one in an attribute"):
        scale = Scale()
        assert len(fitted(scale, **options)[0].trainable_variables) == 3
        assert scale.w.numpy() != 1
    with contrast("a layer that is its function, either"):
        scale = Scale()
        fitted(keras.layers.Lambda(scale), **options)
        assert scale.w.numpy() != 1


class Activated(keras.layers.Layer):
    """A layer whose ``call`` reads an activation."""

    activation = staticmethod(tf.nn.relu)

    def build(self, shape):
        self.kernel = self.add_weight(shape=[1, 1], initializer=lambda *_, **__: -X[:1])

    def call(self, x):
        return self.activation(x @ self.kernel)


class ActivatedInGraph(Activated):
    """The same layer with a ``call`` that is a ``tf.function``."""

    call = tf.function(Activated.call)


class CallsGraph(Activated):
    """The same layer with a ``call`` that calls a ``tf.function``."""

    activated = tf.function(Activated.call)

    def call(self, x):
        return self.activated(x)


def dense():
    """A layer of Keras with an activation."""
    return keras.layers.Dense(1, "relu", kernel_initializer=lambda *_, **__: -X[:1])


@pytest.mark.parametrize(
    "layer, optimizer, options",
    [
        (dense, "sgd", {}),
        (dense, "sgd", {"jit_compile": True}),
        (Activated, "adam", {}),
        (ActivatedInGraph, "sgd", {}),
        (CallsGraph, "sgd", {}),
    ],
)
def test_compile_traces(layer, optimizer, options):
    layer = layer()
    model = keras.Sequential([keras.Input([1]), layer])
    model.compile(optimizer, "mse", **options)

    def moves():
        before = layer.kernel.numpy()
        model.fit(X, X, verbose=0)
        return not same(layer.kernel.numpy(), before)

    assert not moves()
    layer.activation = tf.custom_gradient(lambda x: (tf.nn.relu(x), lambda u: u))
    with contrast("each fit does, also without compile"):
        assert not moves()
    steps = int(model.optimizer.iterations)
    model.compile(model.optimizer, "mse", **options)
    if isinstance(layer, ActivatedInGraph | CallsGraph):
        with contrast("also if call reads it in a tf.function"):
            assert not moves()
    else:
        assert moves()
        layer.activation = tf.nn.relu
        with contrast("each later fit, too, so that it uses the old one again"):
            assert moves()
    assert int(model.optimizer.iterations) > steps


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("wrap", [lambda function: function, tf.function])
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
