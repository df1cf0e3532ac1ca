"""The claims of docs/recipes/attribution.md."""

import os
import tempfile

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.harness import contrast, message, program, same

layers = keras.layers
CLASSES = tf.constant([0, 1])


def head():
    """Return layers for which a map adds up to the logit minus its bias."""
    return [layers.GlobalAveragePooling2D(), layers.Dense(2)]


def convolution():
    """Return the layer that the maps are of."""
    return layers.Conv2D(3, 3, activation="relu", name="last")


@keras.saving.register_keras_serializable()
class Subclassed(keras.Model):
    """A model whose layers are called in Python."""

    def __init__(self, **options):
        super().__init__(**options)
        self.convolution, self.head = convolution(), head()

    def call(self, x, training=False):
        x = self.convolution(x)
        for layer in self.head:
            x = layer(x)
        return x


def functional():
    """Return a functional model, and its convolution."""
    x = inputs = keras.Input([8, 8, 1])
    layer = convolution()
    for part in layer, *head():
        x = part(x)
    return keras.Model(inputs, x), layer


def sequential():
    """Return a sequential model, and its convolution."""
    layer = convolution()
    return keras.Sequential([keras.Input([8, 8, 1]), layer, *head()]), layer


def nested():
    """Return a model with a model in it, and the convolution of the inner one."""
    layer = convolution()
    inner = keras.Sequential([keras.Input([8, 8, 1]), layer])
    return keras.Sequential([keras.Input([8, 8, 1]), inner, *head()]), layer


def subclassed():
    """Return a subclassed model, and its convolution."""
    model = Subclassed()
    return model, model.convolution


def loaded():
    """Return a model that was saved and loaded, and its convolution."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.keras")
        nested()[0].save(path)
        model = keras.models.load_model(path)
    return model, model.layers[0].get_layer("last")


BUILDS = [sequential, functional, nested, subclassed, loaded]


@pytest.mark.parametrize("build", BUILDS, ids=lambda build: build.__name__)
def test_any_model(build):
    page = program("recipes/attribution/images.py")
    keras.utils.set_random_seed(0)
    model, layer = build()
    x = tf.random.stateless_normal([2, 8, 8, 1], [1, 2])
    model(x)
    kernel, bias = (w.value for w in model.weights[-2:])
    assert same(bias, [0.0, 0.0]) and kernel.shape == [3, 2]
    bias.assign([0.5, -1.0])
    right = page.class_scores(model, x, CLASSES) - tf.gather(bias, CLASSES)
    for wrap in (
        lambda function: function,
        tf.function,
        lambda function: tf.function(function, jit_compile=True),
    ):
        maps = wrap(page.grad_cam)(model, layer, x, CLASSES)
        assert maps.shape == [2, 6, 6]
        assert np.allclose(tf.reduce_sum(maps, [1, 2]), right, atol=1e-4)
    with contrast("also in a model that is itself wrapped in a `tf.function`"):
        wrapped = tf.function(lambda x, training: model(x, training=training))
        assert message(page.grad_cam, wrapped, layer, x, CLASSES)


def test_wrapped_raises():
    page = program("recipes/attribution/images.py")
    x = tf.random.stateless_normal([2, 8, 8, 1], [1, 2])
    model, layer = sequential()
    graph = tf.function(lambda x, training: model(x, training=training))
    for _ in range(2):  # before and after a first trace
        error = message(page.grad_cam, graph, layer, x, CLASSES)
        assert error.startswith("ValueError")
        graph(x, training=False)
    model, layer = subclassed()
    model.call = tf.function(model.call)
    model(x)
    assert message(page.grad_cam, model, layer, x, CLASSES).startswith("ValueError")
    with contrast("if `grad_cam` itself is wrapped in a `tf.function`, too"):
        model, layer = subclassed()
        model(x)
        assert not message(tf.function(page.grad_cam), model, layer, x, CLASSES)
    with contrast("if `fit` and `predict` have run, too"):
        model.compile("sgd", "mse")
        model.fit(x, tf.zeros([2, 2]), verbose=0)
        assert not message(page.grad_cam, model, layer, x, CLASSES)


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float16"])
def test_no_gradient_for_ids(dtype):
    embedding = layers.Embedding(5, 3)
    ids = tf.cast([[1, 3], [0, 2]], dtype)
    for in_graph in False, True:

        def gradients(ids):
            with tf.GradientTape() as tape:
                tape.watch(ids)
                y = embedding(ids)
                total = tf.reduce_sum(y**2)
            return tape.gradient(total, [ids, y])

        of_ids, of_output = (tf.function(gradients) if in_graph else gradients)(ids)
        assert of_ids is None
        with contrast("nor has its output"):
            assert same(of_output, 2 * embedding(ids))


def after_embedding(kind):
    """Return a model with a masked embedding, its ids, and the layer that needs it."""
    ids = keras.Input([4], dtype="int32")
    x = points = layers.Embedding(6, 3, mask_zero=True)(ids)
    if kind == "attention":
        x = layers.MultiHeadAttention(1, 3)(x, x)
        x = layers.Flatten()(x)
    else:
        x = {"GRU": layers.GRU(3), "pooling": layers.GlobalAveragePooling1D()}[kind](x)
    outputs = layers.Dense(1)(x)
    return keras.Model(ids, outputs), points


@pytest.mark.parametrize("kind", ["GRU", "pooling", "attention"])
def test_split_loses_mask(kind):
    keras.utils.set_random_seed(0)
    model, points = after_embedding(kind)
    model.layers[1].embeddings.assign(tf.random.stateless_normal([6, 3], [1, 2]))
    ids = tf.constant([[4, 2, 0, 0]])

    def split():
        rest = keras.Model(points, model.output)
        return rest(tf.identity(model.layers[1](ids)))

    if kind == "attention":
        assert not message(split)
        assert not np.allclose(split(), model(ids), rtol=0.01)
        with contrast("also if its input is the output of the embedding itself"):
            rest = keras.Model(points, model.output)
            assert np.allclose(rest(model.layers[1](ids)), model(ids), rtol=1e-5)
    else:
        assert message(split).startswith("ValueError")
    with contrast("so does `at_embedding`"):
        page = program("recipes/attribution/tokens.py")
        layer = model.layers[1]
        scores, _, _, [gradient] = page.at_embedding(
            model, layer, ids, tf.constant([0])
        )
        assert np.allclose(scores, model(ids)[:, 0], rtol=1e-5)
        if kind != "attention":  # there, the padding is a query as well
            assert same(gradient[:, 2:], tf.zeros([1, 2, 3]))


@pytest.mark.parametrize("swapped", [False, True])
def test_first_call_output(swapped):
    inputs = [keras.Input([2], dtype="int32") for _ in range(2)]
    embedding = layers.Embedding(6, 3)
    calls = [embedding(x) for x in (inputs[::-1] if swapped else inputs)]
    model = keras.Model(inputs, layers.Concatenate()(calls))
    ids = [tf.constant([[1, 2]]), tf.constant([[3, 4]])]
    output = keras.Model(inputs, [embedding.output, model.output])(ids)[0]
    first, second = ids[::-1] if swapped else ids
    assert same(output, embedding(first))
    with contrast("of the last call, without an error"):
        assert not same(output, embedding(second))
