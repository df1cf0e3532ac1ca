"""The claims of docs/mistakes/none.md."""

import functools
import warnings

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.harness import (
    BLOCKS,
    COMMON,
    EAGER,
    EVERYWHERE,
    INSIDE,
    XLA,
    contrast,
    message,
    same,
)

WRAPS = {"eager": lambda function: function, "inside": tf.function}
WRAP = pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
X = np.ones([4, 3], "float32")
FITS = [{}, {"run_eagerly": True}, {"jit_compile": True}]
NO_ENTRY = {
    "AdjustContrastv2": lambda x: tf.image.adjust_contrast(x, 0.5),
    "AdjustHue": lambda x: tf.image.adjust_hue(x, 0.1),
    "Lu": lambda x: tf.linalg.lu(x[0])[0],
}
NOT_DIFFERENTIABLE = {
    "PyFunc": lambda x: tf.numpy_function(np.sin, [x], tf.float32),
    "DrawBoundingBoxes": lambda x: tf.raw_ops.DrawBoundingBoxes(
        images=x[None], boxes=tf.zeros([1, 1, 4])
    ),
    "Multinomial": lambda x: tf.cast(
        tf.random.categorical(x[0], 1, tf.int32), tf.float32
    ),
}
IMAGE = tf.random.stateless_uniform([3, 3, 3], [0, 1])


def with_loss_of(output):
    """A model with two weights without bias, whose outputs depend on one or on both."""
    inputs = keras.Input([3])
    # Random weights might round to zero, and then the second one has a gradient of zero.
    no_bias = {"use_bias": False, "kernel_initializer": "ones"}
    first = keras.layers.Dense(3, name="first", **no_bias)(inputs)
    second = keras.layers.Dense(1, name="second", **no_bias)
    return keras.Model(inputs, output(first, second))


ENDS = {
    "all": lambda first, second: keras.layers.Activation(tf.round)(second(first)),
    "some": lambda first, second: second(keras.layers.Activation(tf.round)(first)),
    "none": lambda first, second: second(first),
    "zero": lambda first, second: keras.layers.Activation(tf.sign)(second(first)),
}


def fit(model, data=(X, X[:, :1]), **options):
    """Compile and fit a model; return its error, its warnings, and which weights moved."""
    model.compile(keras.optimizers.SGD(0.1), "mse", **options)
    return observe(lambda: model.fit(*data, verbose=0), model)


def observe(step, model):
    """Take a step; return its error, its warnings, and which weights moved."""
    before = model.get_weights()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        error = message(step)
    moved = [not same(a, b) for a, b in zip(before, model.get_weights())]
    return error, [str(warning.message) for warning in caught], moved


def record(layer, tapes, x):
    """Call a layer under a tape, and append the tape to a list."""
    with tf.GradientTape() as tape:
        y = layer(x)
    tapes.append(tape)
    return y


@pytest.mark.parametrize("moment", ["constructor", "before", "after"])
@WRAP
def test_frozen_layer(wrap, moment):
    class Scale(keras.layers.Layer):
        def build(self, shape):
            self.kept = self.add_weight(shape=(), initializer="ones", trainable=False)
            self.factor = self.add_weight(shape=(), initializer="ones")

        def call(self, x):
            return self.factor * self.kept * x

    normalization = keras.layers.BatchNormalization
    makers = [(keras.layers.Dense, 2), (keras.layers.LSTM, 2), (normalization,), Scale]
    for maker in makers:
        maker, *arguments = maker if isinstance(maker, tuple) else (maker,)
        frozen = {"trainable": False} if moment == "constructor" else {}
        layer = maker(*arguments, **frozen)
        layer.trainable = moment == "after"
        x = tf.ones([2, 3, 2])
        layer(x)
        layer.trainable = False
        assert not layer.trainable_weights

        tapes = []
        wrap(functools.partial(record, layer, tapes))(x)
        watched = {id(variable) for variable in tapes[0].watched_variables()}
        created = {"moving_mean", "moving_variance"}
        unwatched = [w for w in layer.weights if w.name in created]
        unwatched += [layer.kept] if maker is Scale else []
        others = [w for w in layer.weights if id(w) not in map(id, unwatched)]
        assert watched == {id(weight.value) for weight in others}
        with contrast("the tape watches all weights of a frozen layer"):
            assert len(unwatched) == {normalization: 2, Scale: 1}.get(maker, 0)
    with contrast(
        "the tape doesn't watch them, like a tf.Variable that isn't trainable"
    ):
        frozen = tf.Variable(1.0, trainable=False)
        with tf.GradientTape() as tape:
            _ = frozen * 2
        assert not tape.watched_variables()


def check_optimizers():
    """Apply gradients by hand: none, some and all of them."""
    for optimizer in (
        keras.optimizers.Adam(),
        keras.optimizers.SGD(clipnorm=1.0),
        keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD()),
    ):
        model = with_loss_of(ENDS["none"])
        weights = model.trainable_variables
        first, second = map(tf.ones_like, weights)

        def apply(*gradients, optimizer=optimizer, weights=weights, model=model):
            return observe(lambda: optimizer.apply([*gradients], weights), model)

        error, caught, moved = apply(None, None)
        assert "No gradients provided for any variable" in error
        assert not caught and moved == [False, False]
        error, [warning], moved = apply(first, None)
        assert not error and "Gradients do not exist for variables ['second" in warning
        assert moved == [True, False]
        assert apply(first, second) == ("", [], [True, True])


@pytest.mark.parametrize("options", FITS, ids=str)
def test_all_or_some(options):
    no_gradients = "ValueError: No gradients provided for any variable."
    error, caught, moved = fit(with_loss_of(ENDS["all"]), **options)
    assert error == no_gradients and not caught and moved == [False, False]
    error, caught, moved = fit(with_loss_of(ENDS["some"]), **options)
    with contrast("the error is also raised if only some of them are None"):
        assert not error and caught and moved == [False, True]
    assert all("Gradients do not exist for variables ['first" in w for w in caught)
    assert fit(with_loss_of(ENDS["none"]), **options) == ("", [], [True, True])
    if not options:
        check_optimizers()
    with contrast("the error is also raised if all gradients are zero"):
        error, caught, _ = fit(with_loss_of(ENDS["zero"]), **options)
        assert not error and not caught


@pytest.mark.parametrize("options", FITS[:2], ids=str)
def test_only_this_warning(options):
    def first_fit(end, fits_before=False):
        data = tf.data.Dataset.from_tensor_slices((X, X[:, :1])).batch(2)
        model = with_loss_of(ENDS[end])
        model.compile("sgd", "mse", **options)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            if fits_before:
                model.fit(data, verbose=0)
            warnings.filterwarnings("error", message="Gradients do not exist")
            error = message(lambda: model.fit(data, verbose=0))
        with contrast("other warnings become errors, too"):
            assert any("`shuffle=True` was passed" in str(w.message) for w in caught)
        return error

    assert first_fit("some").startswith("UserWarning: Gradients do not exist")
    assert first_fit("none") == ""
    if not options.get("run_eagerly"):
        with contrast("also a later fit of a model that is already traced"):
            assert first_fit("some", fits_before=True) == ""


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_no_entry(place):
    names = [*NO_ENTRY] if place is EAGER else ["AdjustContrastv2"]
    for name in names:
        error = message(place.gradient, NO_ENTRY[name], IMAGE)
        assert "LookupError" in error and name in error
    if "XLA" not in place.name:
        names = [*NOT_DIFFERENTIABLE] if place is EAGER else ["PyFunc"]
        for name in names:
            gradient = place.gradient(NOT_DIFFERENTIABLE[name], IMAGE)
            assert gradient is None or same(gradient, tf.zeros_like(IMAGE))

    def beside(x):
        NO_ENTRY["AdjustContrastv2"](x)
        return x * x

    with contrast("if the block contains such an operation, on the path or not"):
        assert same(place.gradient(beside, IMAGE), 2 * IMAGE)


@pytest.mark.parametrize(
    "place",
    [p for p in EVERYWHERE if not any(w in p.name for w in ("XLA", "loop", "map_fn"))],
    ids=str,
)
def test_scalar_zero(place):
    def by_numpy(x):
        y = tf.py_function(lambda x: np.square(x.numpy()), [x], x.dtype)
        return tf.ensure_shape(y, x.shape)

    shapes = [(), (3,), (2, 1, 3), (0, 2)]
    xs = [tf.fill(shape, 3.0) for shape in shapes]
    xs += [tf.fill([3], tf.constant(3, dtype)) for dtype in place.dtypes]
    gradients = place.each(by_numpy, xs)
    assert same(gradients, [0.0] * len(xs))
    assert [g.dtype for g in gradients] == [x.dtype for x in xs]
    with contrast("no error, whatever comes next"):
        assert "hape" in message(place.gradient, lambda x: by_numpy(x) + x, xs[1])
    if place is INSIDE:
        with contrast("in a loop and under XLA, too: there it raises an error"):
            places = XLA, *BLOCKS[3:5]
            assert all(message(p.gradient, by_numpy, xs[1]) for p in places)
    with contrast("None, as with tf.numpy_function"):
        assert place.gradient(NOT_DIFFERENTIABLE["PyFunc"], IMAGE) is None
    if place in (EAGER, INSIDE):
        with contrast("zero with TensorFlow's operations, too"):
            right = place.gradient(
                lambda x: tf.py_function(tf.square, [x], x.dtype), xs[1]
            )
            assert same(right, [6.0] * 3)


def compiled(outputs, **options):
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
    x = np.ones([4, 1], "float32")
    model = compiled(outputs, run_eagerly=run_eagerly)
    y = [x] * outputs if outputs > 1 else x
    calls = {
        "predict": lambda: model.predict(x, verbose=0),
        "predict_on_batch": lambda: model.predict_on_batch(x),
        "evaluate": lambda: model.evaluate(x, y, verbose=0),
        "predict_step": lambda: model.predict_step([x]),
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
