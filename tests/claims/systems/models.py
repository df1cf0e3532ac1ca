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
    NESTED,
    OUTSIDE,
    SYMBOLIC,
    contrast,
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
