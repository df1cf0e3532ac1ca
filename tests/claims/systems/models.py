"""The claims of docs/systems/models.md."""

import contextlib
import itertools
import tempfile

import keras
import pytest
import tensorflow as tf

from tests.harness import (
    BLOCKS,
    EAGER,
    GRAPHS,
    INSIDE,
    NESTED,
    OUTSIDE,
    SYMBOLIC,
    contrast,
    elsewhere,
    loaded,
    message,
    program,
    quiet,
    raised,
    same,
)

X = [[3.0, 4.0]]
SIGNS, GUIDED = [[1.0, -1.0]], [[1.0, 0.0]]
_numbers = itertools.count()


def signed(function):
    """Return the function times 1 and −1, so its gradient has both signs."""
    return lambda x: function(x) * tf.constant([1.0, -1.0])


def model_of(form):
    """Return a functional model of one layer or operation."""
    inputs = keras.Input([2])
    return keras.Model(inputs, form(inputs))


def relu_layer():
    """Return a layer whose attribute ``activation`` is a ReLU."""
    return keras.layers.Activation("relu")


def sequence_of(wrapper):
    """Return a model with a wrapper around the second axis."""
    inputs = keras.Input([2])
    return keras.Model(inputs, wrapper(keras.layers.Reshape([1, 2])(inputs)))


INNER = {
    "functional": lambda: model_of(relu_layer()),
    "sequential": lambda: keras.Sequential([keras.Input([2]), relu_layer()]),
    "two levels": lambda: model_of(model_of(relu_layer())),
}
WRAPPERS = {
    "TimeDistributed": lambda: keras.layers.TimeDistributed(relu_layer()),
    "Bidirectional": lambda: keras.layers.Bidirectional(
        keras.layers.SimpleRNN(
            2, "relu", use_bias=False, kernel_initializer="identity"
        ),
        merge_mode="ave",
    ),
}


@pytest.mark.parametrize("recursive", [False, True], ids=["flat", "recursive"])
@pytest.mark.parametrize("kind", [*INNER, *WRAPPERS])
def test_clone_recursive(kind, recursive):
    defined = program("systems/models/reach.py")
    inner = {**INNER, **WRAPPERS}[kind]()
    model = model_of(inner) if kind in INNER else sequence_of(inner)
    received = []

    def clone(layer):
        received.append(layer)
        return defined.guided(layer)

    copy = keras.models.clone_model(model, clone_function=clone, recursive=recursive)
    copy.set_weights(model.get_weights())
    gradient = EAGER.gradient(signed(copy), X)
    is_entered = kind in INNER and recursive
    assert same(gradient, GUIDED if is_entered else SIGNS)
    assert any(layer is inner for layer in received) == (not is_entered)
    if kind in INNER and recursive:
        with contrast("never"):
            assert same(gradient, GUIDED)
    elif kind in WRAPPERS and recursive:
        with contrast("it also enters a wrapper with recursive=True"):
            assert same(gradient, SIGNS)


class Subclass(keras.Model):
    """A model with its own ``call``."""

    def call(self, x):
        return tf.nn.relu(x)


class Trains(keras.Model):
    """A functional model with its own ``train_step``."""

    def train_step(self, data):
        return {}


def test_clone_subclass():
    def clone(layer):
        return layer.__class__.from_config(layer.get_config())

    error = raised(lambda: keras.models.clone_model(Subclass(), clone_function=clone))
    assert isinstance(error, ValueError) and "Sequential" in str(error)
    guided, inputs = program("systems/models/reach.py").guided, keras.Input([2])
    with contrast("for each subclass: one built from inputs and outputs is accepted"):
        model = Trains(inputs, relu_layer()(inputs))
        copy = keras.models.clone_model(model, clone_function=guided)
        assert same(EAGER.gradient(signed(copy), X), GUIDED)
    with contrast("for a `keras.Sequential`, too"):
        model = keras.Sequential([inputs, relu_layer()])
        copy = keras.models.clone_model(model, clone_function=guided)
        assert same(EAGER.gradient(signed(copy), X), GUIDED)


@pytest.mark.parametrize("place", [*GRAPHS, *BLOCKS[:5]], ids=str)
def test_graph_keeps_activation(place):
    relu, guided = keras.activations.relu, program("systems/models/swap.py").guided_relu
    guided_copied = lambda x: guided(tf.identity(x))
    layer = relu_layer()
    model = keras.Sequential([keras.Input([2]), layer])
    first, second = signed(model), signed(model)
    two_rows = [[3.0, 4.0], [3.0, 4.0]]
    assert same(place.gradient(first, X), SIGNS)
    layer.activation = guided_copied
    assert same(place.gradient(first, X), SIGNS)
    assert same(place.gradient(second, X), GUIDED)
    with contrast("eager mode, too"):
        assert same(EAGER.gradient(first, X), GUIDED)
    if place in GRAPHS:
        with contrast("a tf.function, even in a new graph for another shape"):
            assert same(place.gradient(first, two_rows), GUIDED * 2)
    layer.activation = relu
    assert same(place.gradient(second, X), GUIDED)
    assert same(place.gradient(first, X), SIGNS)


@pytest.mark.parametrize("place", [EAGER, INSIDE, OUTSIDE], ids=str)
def test_replaced_name(place):
    relu, guided = keras.activations.relu, program("systems/models/swap.py").guided_relu

    def layers():
        """Create layers by the name, and one by the attribute of the module."""
        identity = {"kernel_initializer": "identity", "use_bias": False}
        by_name = [relu_layer(), keras.layers.Dense(2, "relu", **identity)]
        return by_name, keras.layers.Activation(keras.activations.relu)

    before = layers()
    try:
        keras.activations.relu = guided
        after = layers()
        for layer in (*before[0], before[1], *after[0]):
            assert same(place.gradient(signed(layer), X), SIGNS)
        with contrast("not even layers that get keras.activations.relu itself later"):
            assert same(place.gradient(signed(after[1]), X), GUIDED)
    finally:
        keras.activations.relu = relu
    with contrast("that of a layer, too"):
        before[1].activation = guided
        assert same(place.gradient(signed(before[1]), X * 2), GUIDED * 2)


def registered(function):
    """Register a gradient function under a new name."""
    name = f"claims of models {next(_numbers)}"
    tf.RegisterGradient(name)(function)
    return name


def mapped(function, name):
    """Call a function in a block that maps ReLUs to a name."""

    def call(x):
        graph = tf.compat.v1.get_default_graph()
        with graph.gradient_override_map({"Relu": name}):
            return function(x)

    return call


@contextlib.contextmanager
def saved_relu():
    """Save a ReLU, and load it again."""
    module = tf.Module()
    module.call = tf.function(tf.nn.relu, [tf.TensorSpec([1, 2])])
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder)
        yield tf.saved_model.load(folder).call


@pytest.mark.parametrize("place", [OUTSIDE, NESTED, SYMBOLIC], ids=str)
def test_map_one_graph(place):
    name = registered(lambda op, upstream: 10.0 * upstream)
    with quiet(), saved_relu() as call:
        forms = {
            "tf.function": tf.function(tf.nn.relu),
            "branch": lambda x: tf.cond(
                tf.size(x) > 0, lambda: tf.nn.relu(x), lambda: tf.nn.relu(-x)
            ),
            "loop": lambda x: tf.while_loop(
                lambda i, _: i < 1, lambda i, y: (i + 1, tf.nn.relu(y)), (0, x)
            )[1],
            "map_fn": lambda x: tf.map_fn(tf.nn.relu, x),
            "loaded": call,
        }
        for form in forms.values():
            assert same(place.gradient(mapped(form, name), X), [[1.0, 1.0]])
        with contrast("all operations that run in the block"):
            for form in (tf.nn.relu, model_of(relu_layer()), keras.ops.relu):
                assert same(place.gradient(mapped(form, name), X), [[10.0, 10.0]])
        with contrast("in a branch at all: a block within the branch works"):
            branch = lambda x: tf.cond(
                tf.size(x) > 0, lambda: mapped(tf.nn.relu, name)(x), lambda: x
            )
            assert same(place.gradient(branch, X), [[10.0, 10.0]])


def save(function, folder, **options):
    """Save a function of a vector of two numbers."""
    module = tf.Module()
    module.call = tf.function(function, [tf.TensorSpec([2])])
    options = tf.saved_model.SaveOptions(**options)
    tf.saved_model.save(module, folder, options=options)


def test_none_for_op():
    received = []

    def reads(op, upstream):
        received.append(op)
        return upstream * tf.cast(op.outputs[0] > 0.0, upstream.dtype)

    name = registered(reads)
    with tempfile.TemporaryDirectory() as folder, quiet():
        error = message(save, mapped(tf.nn.relu, name), folder)
        assert error.startswith("ValueError: Error when tracing gradients")
        assert received == [None]
        with contrast("also when a gradient is computed: there it gets the operation"):
            assert same(OUTSIDE.gradient(mapped(tf.nn.relu, name), X), [[1.0, 1.0]])
            assert received[-1].type == "Relu"
        with contrast("raises for each function, also for one that reads no operation"):
            reads_none = registered(lambda op, upstream: 5.0 * upstream)
            assert not message(save, mapped(tf.nn.relu, reads_none), folder)
        with contrast("with experimental_custom_gradients=False, too"):
            received.clear()
            save(mapped(tf.nn.relu, name), folder, experimental_custom_gradients=False)
            assert not received


_LOAD = """
import tensorflow as tf
{registration}
call, x = tf.saved_model.load({folder!r}).call, tf.constant([3.0, 4.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = call(x)
print(tape.gradient(y, x).numpy())
"""


def test_only_the_name():
    name = registered(lambda op, upstream: 10.0 * upstream)
    relu = mapped(tf.nn.relu, name)
    with tempfile.TemporaryDirectory() as folder, quiet():
        save(relu, folder, experimental_custom_gradients=False)
        error = message(elsewhere, _LOAD.format(registration="", folder=folder))
        assert "LookupError: No gradient defined" in error
        registration = (
            f"tf.RegisterGradient({name!r})(lambda op, upstream: 7 * upstream)"
        )
        code = _LOAD.format(registration=registration, folder=folder)
        with contrast("the gradient function: another one of this name is used"):
            assert elsewhere(code).strip().endswith("[7. 7.]")
        call = tf.saved_model.load(folder).call
        assert same(EAGER.gradient(call, [3.0, 4.0]), [10.0, 10.0])
    with contrast("with the default option, too"):
        assert same(loaded(relu, [3.0, 4.0]), [[10.0, 10.0]])
