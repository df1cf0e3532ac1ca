"""The claims of docs/recipes/per_example.md."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.harness import contrast, message, program, same

layers = keras.layers


def stateful_dropout(x):
    """Drop elements by a stateful operation of TensorFlow."""
    return tf.nn.dropout(x, 0.5)


RANDOM = {
    "Dropout": lambda: layers.Dropout(0.5),
    "SpatialDropout1D": lambda: layers.SpatialDropout1D(0.5),
    "GaussianNoise": lambda: layers.GaussianNoise(1.0),
}


def rows_of(mapping, function, x, in_graph):
    """Return the results of a function for each example, as a batch of one."""

    def mapped(x):
        return mapping(lambda row: function(row[None])[0], x)

    return (tf.function(mapped) if in_graph else mapped)(x)


@pytest.mark.parametrize("in_graph", [False, True], ids=["eager", "graph"])
def test_one_mask(in_graph):
    x = tf.ones([6, 4, 8])
    for build in RANDOM.values():
        layer = build()

        def call(row, layer=layer):
            return layer(row, training=True)

        rows = rows_of(tf.vectorized_map, call, x, in_graph)
        assert same(rows, tf.tile(rows[:1], [6, 1, 1])) and not same(rows, x)
        with contrast("in `tf.map_fn`, too"):
            rows = rows_of(tf.map_fn, call, x, in_graph)
            assert not same(rows[0], rows[1]) or not same(rows[0], rows[2])
    with contrast("so does `tf.nn.dropout`"):
        rows = rows_of(tf.vectorized_map, stateful_dropout, x, in_graph)
        assert not same(rows[0], rows[1]) and not same(rows[0], rows[2])


@pytest.mark.parametrize("mapping", [tf.vectorized_map, tf.map_fn])
def test_returns_offset(mapping):
    keras.utils.set_random_seed(0)
    dense, normalization = layers.Dense(3), layers.BatchNormalization()
    x = tf.random.stateless_normal([4, 2], [1, 2])
    normalization(dense(x))
    normalization.beta.assign([1.0, -2.0, 0.5])
    model = keras.Sequential([dense, normalization])

    def one(row, training=True):
        with tf.GradientTape() as tape:
            y = model(row[None], training=training)
            squares = tf.square(y)
        return tf.concat([y, tape.gradient(squares, dense.kernel.value)], 0)

    rows = tf.function(lambda: mapping(one, x))()
    assert np.allclose(rows[:, 0], [[1.0, -2.0, 0.5]] * 4, atol=1e-6)
    assert np.allclose(rows[:, 1:], 0.0, atol=1e-6)
    with contrast("also with `training=False`"):
        rows = tf.function(lambda: mapping(lambda row: one(row, False), x))()
        assert not np.isclose(rows[:, 1:], 0.0, atol=1e-3).any()
    with contrast("after a convolution, too"):
        normalization = layers.BatchNormalization()
        images = tf.random.stateless_normal([1, 3, 3, 2], [1, 2])
        assert not np.isclose(normalization(images, training=True), 0, atol=1e-3).all()


def test_loss_key():
    class Model(keras.Sequential):
        key = "loss"

        def train_step(self, batch):
            return {self.key: tf.constant(3.0)}

    def fitted(key, metrics=None):
        model = Model([keras.Input([1]), layers.Dense(1)])
        model.key = key
        model.compile("sgd", "mse", metrics=metrics)
        return model.fit(np.ones([2, 1]), np.ones([2, 1]), verbose=0).history

    assert fitted("loss") == {"loss": [0.0]}
    with contrast("every key"):
        assert fitted("batch_loss") == {"batch_loss": [3.0]}
    assert "Error" in message(lambda: fitted("batch_loss", ["mae"]))


MODELS = {
    "dense": ([3], lambda: [layers.Dense(4, "tanh"), layers.Dense(2)]),
    "sequence": ([5, 3], lambda: [layers.Dense(4, "gelu"), layers.Dense(2)]),
    "no bias": ([3], lambda: [layers.Dense(4, "relu", use_bias=False)]),
    "convolution": (
        [7, 8, 2],
        lambda: [
            layers.Conv2D(3, (2, 3), 2, "same", activation="tanh"),
            layers.Conv2D(2, 2, dilation_rate=2),
            layers.Flatten(),
            layers.Dense(2),
        ],
    ),
    "frozen": (
        [3],
        lambda: [
            layers.Dense(4, "tanh"),
            layers.LayerNormalization(trainable=False),
            layers.Dense(2),
        ],
    ),
}


def losses_of(y, z):
    """Return one loss for each example, some of which have a norm above 1."""
    factors = tf.reshape([30.0, 0.03, 1.0], [3, *[1] * (z.shape.rank - 1)])
    squares = tf.square(z - y) * factors
    return tf.reduce_mean(squares, list(range(1, z.shape.rank)))


@pytest.mark.parametrize("name", MODELS)
def test_ghost_sum(name):
    ghost = program("recipes/per_example/ghost.py")
    shape, build = MODELS[name]
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.Input(shape), *build()])
    x = tf.random.stateless_normal([3, *shape], [1, 2])
    copy = ghost.ghost_of(model)
    y = tf.ones(model(x).shape)
    sums, norms = ghost.clipped_sums(copy, losses_of, x, y)
    with tf.GradientTape(persistent=True) as tape:
        losses = tf.unstack(losses_of(y, model(x)))
    own = [tape.gradient(loss, model.trainable_variables) for loss in losses]
    clipped = [tf.clip_by_global_norm(gradients, 1.0) for gradients in own]
    assert np.allclose(norms, [norm for _, norm in clipped], rtol=1e-4)
    right = [sum(parts) for parts in zip(*(parts for parts, _ in clipped))]
    assert all(np.allclose(a, b, atol=1e-4) for a, b in zip(sums, right))
    assert min(norms) < 1.0 < max(norms)
    with contrast("the clipped gradient of the sum"):
        total, _ = tf.clip_by_global_norm([sum(parts) for parts in zip(*own)], 1.0)
        assert not np.allclose(sums[0], total[0], atol=1e-3)


def test_ghost_raises():
    ghost = program("recipes/per_example/ghost.py")
    x, y = tf.ones([2, 3]), tf.ones([2, 3])

    def error(*parts):
        keras.utils.set_random_seed(0)
        copy = ghost.ghost_of(keras.Sequential([keras.Input([3]), *parts]))
        loss = keras.losses.mean_squared_error
        return message(lambda: ghost.clipped_sums(copy, loss, x, y))

    assert error(layers.Dense(3), layers.LayerNormalization()).startswith("ValueError")
    shared = layers.Dense(3)
    inputs = keras.Input([3])
    twice = ghost.ghost_of(keras.Model(inputs, shared(shared(inputs))))
    loss = keras.losses.mean_squared_error
    error_of_twice = message(lambda: ghost.clipped_sums(twice, loss, x, y))
    assert error_of_twice.startswith("ValueError")
    with contrast("for every layer of another kind, also a frozen one"):
        frozen = layers.LayerNormalization(trainable=False)
        assert not error(layers.Dense(3), frozen)
    with contrast("also for batch normalization without weights"):
        plain = layers.BatchNormalization(center=False, scale=False)
        assert not error(layers.Dense(3), plain)
