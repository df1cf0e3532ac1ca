"""The claims of docs/systems/keras.md."""

import warnings
from unittest import mock

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.harness import EAGER, INSIDE, OUTSIDE, XLA, contrast, message, program, same

X = np.ones([8, 1], "float32")


def dense(value=1.0):
    """Return a dense layer with one weight."""
    constant = keras.initializers.Constant(value)
    return keras.layers.Dense(1, use_bias=False, kernel_initializer=constant)


def model_of(*layers, **options):
    """Compile a model of one input."""
    model = keras.Sequential([keras.Input([1]), *layers])
    model.compile(keras.optimizers.SGD(0.125), "mse", **options)
    return model


def fit(model, x=X, **options):
    """Take a step toward 0, or one for each batch."""
    model.fit(x, 0 * x, verbose=0, **{"batch_size": len(x), **options})


def batches(size):
    """Return a dataset of batches with a static size."""
    return tf.data.Dataset.from_tensor_slices((X, 0 * X)).batch(size, True)


class Reads(keras.layers.Layer):
    """An identity whose gradient is the mean of an attribute in call and in grad."""

    factor = 1.0
    traces = 0

    def call(self, x):
        self.traces += 1
        in_call = self.factor

        @tf.custom_gradient
        def scaled(x):
            def grad(upstream):
                return 0.5 * (in_call + self.factor) * upstream

            return tf.identity(x), grad

        return scaled(x)


AGAIN = {
    "the same batch": fit,
    "a batch of float64": lambda model: fit(model, X.astype("float64")),
    "a dataset": lambda model: model.fit(batches(8), verbose=0),
}
ANEW = {
    "compile": lambda model: (model.compile(model.optimizer, "mse"), fit(model)),
    "a batch of int32": lambda model: fit(model, X.astype("int32")),
    "fewer rows": lambda model: fit(model, X[:3]),
    "a dataset of smaller batches": lambda model: model.fit(batches(4), verbose=0),
}


@pytest.mark.parametrize("anew", ANEW)
def test_attribute_in_fit(anew):
    layer, kernel = Reads(), dense()
    model = model_of(kernel, layer, jit_compile=anew == "compile")

    def step(function=fit):
        """Fit from the kernel 1, and return the kernel and the number of traces."""
        kernel.kernel.assign([[1.0]])
        traces = layer.traces
        with warnings.catch_warnings():
            # Keras warns that it doesn't shuffle a dataset.
            warnings.filterwarnings("error", message="(?!.*shuffle)")
            function(model)
        return kernel.kernel.numpy().item(), layer.traces - traces

    assert step() == (0.75, 1)
    layer.factor = 0.0
    for again in AGAIN.values():
        assert step(again) == (0.75, 0)
    with contrast("for ever, also after a new trace"):
        assert step(ANEW[anew]) == (1.0, 1)
    if anew == "compile":
        with contrast("with run_eagerly=True, too"):
            model.compile(model.optimizer, "mse", run_eagerly=True)
            for layer.factor, right in ((1.0, 0.75), (0.0, 1.0), (2.0, 0.5)):
                assert step()[0] == right
        with contrast("also in a `tf.py_function` or a `tf.numpy_function`"):
            for call_python in (tf.py_function, tf.numpy_function):
                layer.factor = 1.0

                def scaled(x, call_python=call_python):
                    factor = call_python(lambda: layer.factor, [], tf.float64)
                    return x * tf.cast(tf.reshape(factor, []), x.dtype)

                model = model_of(kernel, keras.layers.Lambda(scaled), jit_compile=False)
                steps = []
                for layer.factor in (1.0, 0.0, 2.0):
                    steps.append(step()[0])
                assert steps == [0.75, 1.0, 0.0]
        with contrast("a weight, too"):
            factor = keras.Variable(1.0, trainable=False)
            by_weight = program("systems/keras/reversal.py").reverse
            model = model_of(
                kernel, keras.layers.Lambda(lambda x: by_weight(x, factor + 0))
            )
            for value, right in ((-1.0, 0.75), (0.0, 1.0), (2.0, 1.5)):
                factor.assign(value)
                assert step()[0] == right


@tf.custom_gradient
def without_gradient(x):
    """Return x, and zeros as its gradient."""
    return tf.identity(x), tf.zeros_like


@pytest.mark.parametrize("eagerly", [False, True], ids=["graph", "eagerly"])
@pytest.mark.parametrize("function", [tf.sign, without_gradient])
@pytest.mark.parametrize("is_last", [False, True], ids=["between", "last"])
def test_zero_gradient(is_last, function, eagerly):
    def reports(function):
        """Fit, and return the error, the warnings, and whether each kernel moved."""
        first, second = dense(0.75), dense(0.75)
        layers = [first, keras.layers.Lambda(function), second]
        layers = [first, second, keras.layers.Lambda(function)] if is_last else layers
        model = model_of(*layers, run_eagerly=eagerly)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            error = message(fit, model)
        moved = [layer.kernel.numpy() != 0.75 for layer in (first, second)]
        return error, [str(warning.message) for warning in caught], moved

    assert same(EAGER.gradient(function, 0.75), 0.0)
    assert reports(function) == ("", [], [False, not is_last])
    with contrast("if gradients are None"):
        error, texts, moved = reports(tf.round)
        assert moved == [False, not is_last]
        if is_last:
            assert "No gradients provided for any variable" in error
        else:
            [text] = texts
            assert "Gradients do not exist for variables" in text and not error


def weighing(dtypes, received):
    """Return a layer with a weight that is converted in ``call`` and in ``grad``."""

    class Weighs(keras.layers.Layer):
        def build(self, shape):
            self.w = self.add_weight(shape=(), initializer="ones")
            self.unread = self.add_weight(shape=(), initializer="ones")

        def call(self, x):
            @tf.custom_gradient
            def product(x):
                w = tf.convert_to_tensor(self.w)

                def grad(upstream, variables):
                    later = tf.convert_to_tensor(self.w)
                    dtypes.append((w.dtype.name, later.dtype.name))
                    received.extend(variables)
                    to_w = tf.cast(tf.reduce_sum(upstream * x), self.w.value.dtype)
                    return upstream * w, [to_w] * len(variables)

                return x * w, grad

            return product(x)

    return Weighs


WAYS = {
    "fit": lambda layer: fit(model_of(layer)),
    "fit, eagerly": lambda layer: fit(model_of(layer, run_eagerly=True)),
    **{
        place.name: lambda layer, place=place: place.gradient(layer, X)
        for place in (EAGER, INSIDE, OUTSIDE, XLA)
    },
}


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
@pytest.mark.parametrize("way", WAYS)
def test_weight_in_grad(way, policy):
    dtypes = []
    layer = weighing(dtypes, [])(dtype=policy)
    WAYS[way](layer)
    assert dtypes and {*dtypes} == {(layer.compute_dtype, "float32")}
    if way == "eager":
        with contrast("because of grad itself: a tape within call is different"):
            dtypes.clear()

            class Taped(weighing(dtypes, [])):
                def call(self, x):
                    return EAGER.gradient(super().call, x)

            Taped(dtype=policy)(X)
            assert dtypes == [(layer.compute_dtype, layer.compute_dtype)]


@pytest.mark.parametrize("policy", ["float64", "mixed_float16"])
@pytest.mark.parametrize("way", WAYS)
def test_variables_list(way, policy):
    layer = weighing([], variables := [])(dtype=policy)
    WAYS[way](layer)
    assert variables and all(each is layer.w.value for each in variables)
    assert isinstance(layer.w.value, tf.Variable)
    with contrast("Keras weights"):
        assert not isinstance(layer.w, tf.Variable)
        assert not any(isinstance(each, keras.Variable) for each in variables)
    with contrast("all weights of the layer"):
        assert not any(each is layer.unread.value for each in variables)


def test_ops_custom_gradient():
    def pair(x):
        return 1.0 * x, lambda upstream: -upstream

    with mock.patch.object(tf, "custom_gradient", return_value="decorated") as decorate:
        assert keras.ops.custom_gradient(pair) == "decorated"
    decorate.assert_called_once_with(f=pair)
    decorated = keras.ops.custom_gradient(pair)
    assert type(decorated) is type(tf.custom_gradient(pair))
    with contrast("as a Keras operation, which takes a KerasTensor"):
        assert keras.ops.tanh(keras.KerasTensor([2])).shape == (2,)
        error = message(decorated, keras.KerasTensor([2]))
        assert error.startswith("ValueError: A KerasTensor cannot be used as input")
    with contrast("with keyword arguments as inputs"):
        assert same(EAGER.gradient(lambda x: decorated(x=x), 3.0), 1.0)


CONVERSIONS = {
    "keras.ops.copy": (keras.ops.copy, False),
    "tf.convert_to_tensor": (tf.convert_to_tensor, False),
    "the weight itself": (lambda w: w, True),
    "keras.ops.convert_to_tensor": (keras.ops.convert_to_tensor, True),
}


@tf.custom_gradient
def accepts_variables(x, w):
    """x w, with half of the gradient, and a gradient function that accepts variables."""

    def grad(upstream, variables=None):
        half = 0.5 * upstream * w, tf.reduce_sum(0.5 * upstream * x)
        return (half, [None] * len(variables)) if variables else half

    return x * w, grad


@pytest.mark.parametrize("name", CONVERSIONS)
def test_copy_a_weight(name):
    convert, fails = CONVERSIONS[name]
    defined = program("systems/keras/backends.py")

    def step(trainable=True, scaled=defined.scaled, **options):
        """Fit, and return the error and both weights."""
        kernel = dense()
        layer = defined.Scale(lambda x, w: scaled(x, convert(w)), trainable)
        with mock.patch.object(layer, "compute_output_shape", lambda shape: shape):
            error = message(fit, model_of(kernel, layer, **options))
        return error, kernel.kernel.numpy().item(), layer.w.numpy().item()

    error, *weights = step(run_eagerly=True)
    if fails:
        assert error.startswith("TypeError") and "'variables'" in error
        with contrast("without run_eagerly, too"):
            assert step() == ("", 0.875, 0.875)
        with contrast("also for a weight that isn't trained"):
            assert step(trainable=False, run_eagerly=True) == ("", 0.875, 1.0)
        with contrast("also if `grad` accepts `variables`"):
            accepted = step(scaled=accepts_variables, run_eagerly=True)
            assert accepted == ("", 0.875, 0.875)
    else:
        assert not error and weights == [0.875, 0.875]


def of_unknown_number():
    """Return a dataset of eight batches that doesn't know its size."""
    spec = tf.TensorSpec([1, 1])
    batches = lambda: ((row[None], 0 * row[None]) for row in X)
    return tf.data.Dataset.from_generator(batches, output_signature=(spec, spec))


@pytest.mark.parametrize("options", [{}, {"run_eagerly": True}], ids=str)
@pytest.mark.parametrize("steps", [1, 2, 3, 4])
def test_per_execution(steps, options):
    defined = program("systems/keras/steps.py")
    factors = []

    class Noting(defined.Scale):
        def call(self, x):
            tf.py_function(factors.append, [self.factor.value], [])
            return super().call(x)

    layer, kernel = Noting(), dense()
    schedule = defined.Schedule(layer)
    options = {"steps_per_execution": steps, "jit_compile": False, **options}
    model = model_of(kernel, layer, **options)
    factors.clear()
    fit(model, batch_size=1, callbacks=[schedule])
    assert schedule.batches == [*range(0, 8, steps)]
    assert factors == [batch - batch % steps for batch in range(8)]
    with contrast("for each batch"):
        assert len(schedule.batches) == -(-8 // steps)
    schedule.batches.clear()
    factors.clear()
    model.fit(of_unknown_number(), verbose=0, callbacks=[schedule])
    assert schedule.batches == [*range(0, steps * len(schedule.batches), steps)]
    # The factor is also read in the execution that finds no data.
    assert factors[:8] == [batch - batch % steps for batch in range(8)]
