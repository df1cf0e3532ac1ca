"""Token ids: the gradient at the output of an embedding, used twice."""

from unittest import mock

import keras
import numpy as np
import tensorflow as tf


def at_embedding(model, layer, ids, classes, t=1.0):
    """The scores, and for each call of the layer: ids, output, gradient."""
    calls, call = [], layer.call

    def record(tokens, **options):
        output = call(tokens, **options)
        point = t * output
        tape.watch(point)
        calls.append((tokens, output, point))
        return point

    with tf.GradientTape(watch_accessed_variables=False) as tape:
        with mock.patch.object(layer, "call", record):
            logits = model(ids, training=False)
        scores = tf.gather(logits, classes, axis=1, batch_dims=1)
    tokens, outputs, points = zip(*calls)
    return scores, tokens, outputs, tape.gradient(scores, points)


def integrated_gradients(model, layer, ids, classes, steps=10):
    """From embeddings of 0. For each call: ids, a number for each token."""
    runs = [at_embedding(model, layer, ids, classes, (step + 0.5) / steps)
            for step in range(steps)]
    _, tokens, outputs, _ = runs[0]
    means = [sum(g) / steps for g in zip(*(run[-1] for run in runs))]
    return [(number, tf.reduce_sum(output * mean, -1))
            for number, output, mean in zip(tokens, outputs, means)]


worth = np.array([0, 2, 1, 0, -1, -2])  # of the tokens; 0 is padding
random = np.random.default_rng(0)
a, b = random.integers(0, 6, [2, 512, 4])
y = 0.25 * (worth[a].sum(1) - worth[b].sum(1))
keras.utils.set_random_seed(0)
first, second = [keras.Input([4], dtype="int32") for _ in "ab"]
embedding = keras.layers.Embedding(6, 8, mask_zero=True)
reader = keras.layers.GRU(8)
difference = keras.layers.Subtract()(
    [reader(embedding(first)), reader(embedding(second))])
score = keras.layers.Dense(1)(difference)
model = keras.Model([first, second], score)
model.compile(keras.optimizers.Adam(0.05), "mse")
model.fit([a, b], y, batch_size=128, epochs=24, verbose=0)

a, b = tf.constant([[1, 3, 5, 0]]), tf.constant([[5, 2, 0, 0]])
for dtype in tf.int32, tf.float32:
    ids = tf.cast(a, dtype)
    with tf.GradientTape() as tape:
        tape.watch(ids)
        score = model([ids, b], training=False)
    print(f"{dtype.name} ids:", tape.gradient(score, ids))

classes, total = tf.constant([0]), 0.0  # the model has one output
for tokens, parts in integrated_gradients(
        model, embedding, [a, b], classes):
    print("worth", worth[tokens[0]], "attributed",
          parts[0].numpy().round(1) + 0.0)
    total += tf.reduce_sum(parts)
score, tokens, _, gradients = at_embedding(
    model, embedding, [a, b], classes)
empty = at_embedding(model, embedding, [a, b], classes, t=0.0)[0]
print(f"sum {total:.2f}, f(x) - f(zeros) {(score - empty)[0]:.2f}")
with tf.GradientTape() as tape:
    score = model([a, b], training=False)
table = tape.gradient(score, embedding.trainable_variables[0])
both = tf.IndexedSlices(
    tf.concat(gradients, 1)[0], tf.concat(tokens, 1)[0], table.dense_shape)
error = tf.convert_to_tensor(both) - tf.convert_to_tensor(table)
print(f"both calls - gradient of the table: {tf.reduce_max(abs(error)):.4f}")
