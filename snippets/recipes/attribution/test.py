"""A test: the attributions of an example add up to what its score changed."""

import keras
import numpy as np
import tensorflow as tf


def attribute(score_of, x, baseline, steps=32):
    """Integrated gradients of the numbers that score_of(x) returns."""
    total = tf.zeros_like(x)
    for t in (np.arange(steps, dtype="float32") + 0.5) / steps:
        point = baseline + t * (x - baseline)
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(point)
            scores = score_of(point)
        total += tape.gradient(scores, point)
    return (x - baseline) * total / steps


def incomplete(attributions, model, x, baseline, classes):
    """The largest error, as a fraction of the largest change of a score."""
    change = np.array([
        row[c] for row, c in zip(model(x) - model(baseline), classes)])
    sums = np.sum(attributions, axis=tuple(range(1, x.ndim)))
    return np.max(np.abs(sums - change)) / np.max(np.abs(change))


keras.utils.set_random_seed(0)
model = keras.Sequential([
    keras.Input([8, 8, 1]), keras.layers.Conv2D(4, 3, activation="relu"),
    keras.layers.BatchNormalization(), keras.layers.Flatten(),
    keras.layers.Dense(16, "relu"), keras.layers.Dropout(0.5),
    keras.layers.Dense(3)])
x = tf.random.stateless_normal([4, 8, 8, 1], seed=[1, 2])
baseline, classes = tf.zeros_like(x), tf.constant([2, 0, 1, 1])


def chosen(values, **options):
    return tf.gather(values, classes, axis=1, **options)


for name, score_of in {
        "right": lambda x: chosen(model(x), batch_dims=1),
        "no batch_dims": lambda x: chosen(model(x)),
        "all classes": model,
        "softmax": lambda x: chosen(tf.nn.softmax(model(x)), batch_dims=1),
        "training=True": lambda x: chosen(
            model(x, training=True), batch_dims=1)}.items():
    weights = model.get_weights()  # training=True changes some of them
    error = incomplete(
        attribute(score_of, x, baseline), model, x, baseline, classes)
    model.set_weights(weights)
    print(f"{name:14} error {error:.2f}")
