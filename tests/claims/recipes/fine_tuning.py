"""The claims of docs/recipes/fine_tuning.md."""

import tempfile

import keras
import numpy as np
import pytest
import tensorflow as tf
from tensorflow.python.eager import context

from tests.harness import EAGER, INSIDE, XLA, contrast, message, program, same

layers = keras.layers
KINDS = {
    "Dense": ([4], lambda **options: layers.Dense(3, **options)),
    "EinsumDense": (
        [4],
        lambda **options: layers.EinsumDense("ab,bc->ac", 3, **options),
    ),
    "Conv2D": ([4, 4, 1], lambda **options: layers.Conv2D(2, 2, **options)),
    "Embedding": ([2], lambda **options: layers.Embedding(4, 3, **options)),
}


def with_factors(name):
    """Return a model with LoRA whose factors aren't 0, its layer, and an input."""
    shape, build = KINDS[name]
    dtype = "int32" if name == "Embedding" else "float32"
    layer = build()
    model = keras.Sequential([keras.Input(shape, dtype=dtype), layer])
    layer.enable_lora(2)
    for factor in factors(layer):
        factor.assign(tf.random.stateless_normal(factor.shape, [1, 2]))
    return model, layer, tf.ones([2, *shape], dtype)


def factors(layer):
    """Return A and B."""
    return [w for w in layer.variables if w.name.startswith("lora")]


@pytest.mark.parametrize("name", KINDS)
def test_loaded_zero(name):
    model, layer, x = with_factors(name)
    before, y = [w.numpy() for w in factors(layer)], model(x)
    with tempfile.TemporaryDirectory() as folder:
        model.save(f"{folder}/model.keras")
        model.save_weights(f"{folder}/model.weights.h5")
        checkpoint = tf.train.Checkpoint(model=model).write(f"{folder}/checkpoint")
        loaded = keras.models.load_model(f"{folder}/model.keras")
        other, _, _ = with_factors(name)
        other.load_weights(f"{folder}/model.weights.h5")
        for new in loaded, other:
            ab = factors(new.layers[-1])
            assert all(same(w, tf.zeros(w.shape)) for w in ab)
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(new(x) - 1.0))
            for gradient in tape.gradient(loss, [w.value for w in ab]):
                gradient = tf.convert_to_tensor(gradient)
                assert same(gradient, tf.zeros(gradient.shape))
            assert np.allclose(new(x), y, atol=1e-4)
        with contrast("`tf.train.Checkpoint` does, too"):
            tf.train.Checkpoint(model=other).read(checkpoint)
            assert same(factors(other.layers[-1]), before)


@pytest.mark.parametrize("change", ["enable_lora", "trainable"])
def test_first_graph(change):
    x, y = tf.random.stateless_normal([8, 4], [1, 2]), tf.ones([8, 1])

    def moved(compile_again=False, **options):
        model = keras.Sequential([keras.Input([4]), layers.Dense(1)])
        dense = model.layers[0]
        model.compile("sgd", "mse", **options)
        model.fit(x, y, verbose=0)
        if change == "enable_lora":
            dense.enable_lora(2)
        else:
            dense.trainable = False
        before = {w.name: w.numpy() for w in dense.variables}
        if compile_again:
            model.compile("sgd", "mse")
        model.fit(x, y, verbose=0)
        return [w.name for w in dense.variables if not same(w, before[w.name])]

    assert moved() == moved(jit_compile=False) == ["kernel", "bias"]
    with contrast("with `run_eagerly`, too"):
        if change == "enable_lora":
            assert "Unknown variable" in message(lambda: moved(run_eagerly=True))
        else:
            assert moved(run_eagerly=True) == []
    with contrast("also after `compile`"):
        again = moved(compile_again=True)
        assert again == (["bias", "lora_kernel_b"] if change == "enable_lora" else [])


@pytest.mark.parametrize("name", KINDS)
def test_trainable_again(name):
    def kernel_trained(*steps):
        shape, build = KINDS[name]
        layer = build()
        model = keras.Sequential([keras.Input(shape), layer])
        for step in steps:
            if step == "LoRA":
                layer.enable_lora(2)
            else:
                model.trainable = step
        [kernel] = [w for w in layer.variables if w.name in ("kernel", "embeddings")]
        return kernel.trainable

    assert kernel_trained(False, "LoRA", True)
    assert kernel_trained("LoRA", False, True)
    with contrast("before `enable_lora`, too"):
        assert not kernel_trained(False, True, "LoRA")
    with contrast("also if it was never False"):
        assert not kernel_trained("LoRA", True)


def test_divides_by_all():
    Loss = keras.losses.SparseCategoricalCrossentropy
    logits = tf.random.stateless_normal([2, 4, 3], [1, 2])
    labels = tf.constant([[2, 0, -1, 1], [-1, -1, 0, -1]])
    mask, zero = tf.cast(labels >= 0, tf.float32), tf.maximum(labels, 0)
    entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(zero, logits) * mask
    of_all = tf.reduce_sum(entropy) / 8.0
    of_labels = tf.reduce_sum(entropy) / 4.0
    weighted = Loss(from_logits=True)(zero, logits, mask)
    assert np.allclose(weighted, of_all, 1e-5)
    model = keras.Sequential([keras.Input([4, 3]), layers.Rescaling(1.0)])
    model.compile("sgd", Loss(from_logits=True), run_eagerly=True)
    history = model.fit(logits, zero, sample_weight=mask, verbose=0).history
    assert np.allclose(history["loss"], of_all, 1e-4)
    with contrast("`ignore_class` does, too"):
        ignored = Loss(from_logits=True, ignore_class=-1)(labels, logits)
        assert np.allclose(ignored, of_labels, 1e-5)
    with contrast("whatever the reduction: this one divides by the sum of the weights"):
        by_weights = Loss(from_logits=True, reduction="mean_with_sample_weight")
        assert np.allclose(by_weights(zero, logits, mask), of_labels, 1e-5)


@pytest.mark.parametrize("place", [EAGER, INSIDE, XLA], ids=str)
def test_chunked(place):
    page = program("recipes/fine_tuning/cross_entropy.py")
    hidden = tf.random.stateless_normal([3, 7, 4], [1, 2])
    table = tf.random.stateless_normal([11, 4], [3, 4])
    labels = tf.constant([[1, -1, 3, 10, 0, 5, -1], [2] * 7, [-1] * 7])

    def plain(hidden, table):
        logits = tf.einsum("btd,vd->btv", hidden, table)
        keep = tf.cast(labels >= 0, tf.float32)
        entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(
            tf.maximum(labels, 0), logits
        )
        return tf.reduce_sum(keep * entropy) / tf.reduce_sum(keep)

    right = EAGER.gradients(plain, hidden, table)
    for chunk in 4, 64:

        def chunked(hidden, table, chunk=chunk):
            return page.chunked_loss(hidden, table, labels, chunk)

        with contrast("only if `chunk` divides the number of tokens, here 21"):
            assert np.allclose(chunked(hidden, table), plain(hidden, table), 1e-5)
        gradients = place.gradients(chunked, hidden, table, loss=lambda y: 3.0 * y)
        assert all(np.allclose(a, 3.0 * b, atol=1e-5) for a, b in zip(gradients, right))
        with contrast("the mean of the means of the chunks"):
            means = [
                page.chunked_loss(hidden[i : i + 1], table, labels[i : i + 1], chunk)
                for i in range(3)
            ]
            assert not np.allclose(tf.reduce_mean(means), plain(hidden, table), 0.01)
    none = tf.fill([3, 7], -1)
    empty = EAGER.gradient(lambda h: page.chunked_loss(h, table, none, 4), hidden)
    assert same(empty, tf.zeros_like(hidden))


def test_behind_upstream():
    page = program("recipes/fine_tuning/int8.py")
    codes = tf.cast(tf.random.stateless_uniform([3, 3], [1, 2], -9, 9), tf.int8)
    scale = tf.constant([0.5, 1.0, 2.0])

    @tf.custom_gradient
    def without(x, codes, scale):
        def kernel():
            return tf.cast(tf.identity(codes), scale.dtype) * scale

        def grad(upstream):
            return tf.matmul(upstream, kernel(), transpose_b=True), None, None

        return tf.matmul(tf.stop_gradient(x), kernel()), grad

    def casts(matmul, count):
        """Count the casts in the graph as traced, and in the graph that ran."""

        @tf.function
        def gradient(x, codes, scale):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x
                for _ in range(count):
                    y = tf.sin(matmul(y, codes, scale))
                loss = tf.reduce_sum(y**2)
            return tape.gradient(loss, x)

        def number(graph):
            return sum(node.op == "Cast" for node in graph.node)

        inputs = tf.ones([2, 3]), codes, scale
        traced = number(gradient.get_concrete_function(*inputs).graph.as_graph_def())
        context.enable_run_metadata()
        result = gradient(*inputs)
        graphs = context.export_run_metadata().function_graphs
        context.disable_run_metadata()
        [graph] = [graphs[0].post_optimization_graph]
        return traced, number(graph), result

    for count in 1, 3:
        traced, ran, result = casts(page.frozen_matmul, count)
        assert (traced, ran) == (2 * count, 2 * count)
        traced, ran, expected = casts(without, count)
        assert np.allclose(result, expected, rtol=1e-4)
        with contrast("without it, too"):
            assert traced == 2 * count and ran == 1
