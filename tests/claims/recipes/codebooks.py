"""The claims of docs/recipes/codebooks.md."""

import json
import warnings

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.harness import contrast, elsewhere, program, same, source

stop = tf.stop_gradient
Z = tf.random.stateless_normal([32, 4], [1, 2])


@pytest.mark.parametrize("in_graph", [False, True], ids=["eager", "graph"])
@pytest.mark.parametrize("shape", [[32, 4], [2, 5, 4], [2, 3, 3, 4]], ids=str)
def test_loss_on_output(shape, in_graph):
    Quantizer = program("recipes/codebooks/wrong/straight_output.py").Quantizer
    z = tf.random.stateless_normal(shape, [1, 2])
    keras.utils.set_random_seed(0)
    right, wrong = Quantizer("code"), Quantizer("output")
    right(z), wrong(z)
    wrong.codebook.assign(right.codebook)

    def run(layer):
        def losses_and_gradients():
            with tf.GradientTape() as tape:
                layer(z)
                losses = layer.losses
                total = sum(losses)
            return losses, tape.gradient(total, layer.codebook.value)

        return (
            tf.function(losses_and_gradients) if in_graph else losses_and_gradients
        )()

    losses, gradient = run(right)
    wrong_losses, no_gradient = run(wrong)
    assert np.allclose(losses, wrong_losses, rtol=1e-5)
    assert no_gradient is None
    with contrast("nor has it one if the loss is computed from the code"):
        assert tf.reduce_max(abs(tf.convert_to_tensor(gradient))) > 1e-3


@pytest.mark.parametrize("run_eagerly", [False, True])
def test_untracked(run_eagerly):
    Quantizer = program("recipes/codebooks/wrong/variable.py").Quantizer

    def fitted(kind, layer_class=Quantizer):
        layer = layer_class(kind)
        model = keras.Sequential([keras.Input([4]), keras.layers.Dense(4), layer])
        before = layer.codebook.numpy()
        model.compile("sgd", "mse", run_eagerly=run_eagerly)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(Z, Z, verbose=0)
        moved = not same(layer.codebook.numpy(), before)
        return len(model.weights), moved, [str(w.message) for w in caught]

    weights, moved, messages = fitted("tf.Variable")
    assert weights == 2 and not moved
    assert not any("radient" in message for message in messages)
    with contrast("nor a weight of `add_weight`"):
        weights, moved, _ = fitted("add_weight")
        assert weights == 3 and moved
    with contrast("nor about the missing gradient of a weight of `add_weight`"):
        without_loss = type("Silent", (Quantizer,), {"add_loss": lambda *_: None})
        assert any("radient" in text for text in fitted("add_weight", without_loss)[2])


class WithLoss(keras.layers.Layer):
    """A dense layer with a loss."""

    def build(self, shape):
        self.kernel = self.add_weight([shape[-1], 3])

    def call(self, x):
        y = x @ tf.convert_to_tensor(self.kernel)
        self.add_loss(tf.reduce_mean(y**2))
        return y


@pytest.mark.parametrize("in_graph", [False, True], ids=["eager", "graph"])
def test_recomputed_losses(in_graph):
    layer = WithLoss()
    layer(Z)

    def run(call):
        def value_and_gradients():
            with tf.GradientTape(persistent=True) as tape:
                tape.watch(Z)
                y = call(Z)
                loss = layer.losses[0]
            sources = [Z, layer.kernel.value]
            return loss, tape.gradient(loss, sources), tape.gradient(y, sources)

        function = tf.function(value_and_gradients) if in_graph else value_and_gradients
        return function()

    loss, of_loss, of_output = run(tf.recompute_grad(lambda x: layer(x)))
    right, of_right, _ = run(layer)
    assert same(loss, right, 1e-5) and loss > 0.0
    assert same(of_loss, [None, None])
    with contrast("the output has no gradient, either"):
        assert all(np.any(gradient) for gradient in of_output)
    with contrast("without `tf.recompute_grad`, too"):
        assert all(np.any(gradient) for gradient in of_right)


_CASES = """
import json


def codebooks(aggregation, least):
    class Layer(Quantizer):
        def add_weight(self, *arguments, **options):
            if "aggregation" in options:
                options["aggregation"] = aggregation
            return super().add_weight(*arguments, **options)

    keras.utils.set_random_seed(0)
    with two.scope():
        layer = Layer(8, least=least)
        layer.build([None, 4])

    @tf.function
    def step():
        def replica():
            number = tf.distribute.get_replica_context().replica_id_in_sync_group
            layer(rows[number], training=True)

        two.run(replica)

    step()
    return [part.numpy().tolist() for part in layer.codebook.value.values]


rows = tf.random.stateless_normal([2, 16, 4], [1, 2]) + 5.0
two = tf.distribute.MirroredStrategy(devices)
print(json.dumps({
    "only_first_replica": codebooks("only_first_replica", 0.9),
    "none": codebooks("none", 0.9),
    "mean": codebooks("mean", 0.9),
    "no restart": codebooks("none", 0.0),
}))
"""


def test_first_replica():
    text = source("recipes/codebooks/moving.py").partition("def train")[0]
    books = json.loads(elsewhere(text + _CASES).splitlines()[-1])
    assert same(*books["only_first_replica"])
    assert not np.allclose(*books["none"], atol=0.1)
    assert same(books["only_first_replica"][0], books["none"][0], 1e-5)
    with contrast("also without a restart"):
        assert same(*books["no restart"], 1e-5)
    with contrast("`only_first_replica` stores the mean of the replicas"):
        mean = books["mean"][0]
        assert not np.allclose(mean, books["only_first_replica"][0], atol=0.1)
