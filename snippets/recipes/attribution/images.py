"""Saliency, integrated gradients and Grad-CAM of a nested, loaded model."""

import os
import tempfile
from unittest import mock

import keras
import numpy as np
import tensorflow as tf
from matplotlib import pyplot as plt

plt.rcParams["svg.hashsalt"] = "attribution"
SCALE = 1024.0  # so that gradients in float16 don't underflow


def class_scores(model, x, classes):
    """One number for each example: the logit of its class."""
    logits = tf.cast(model(x, training=False), tf.float32)
    return tf.gather(logits, classes, axis=1, batch_dims=1)


def saliency(model, x, classes):
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(x)
        scores = SCALE * class_scores(model, x, classes)
    return tape.gradient(scores, x) / SCALE


def integrated_gradients(model, x, classes, baseline, steps=128):
    total = tf.zeros_like(x)
    for step in tf.range(steps):
        t = (tf.cast(step, x.dtype) + 0.5) / steps
        total += saliency(model, baseline + t * (x - baseline), classes)
    return (x - baseline) * total / steps


def grad_cam(model, layer, x, classes):
    """Without the ReLU, so that evidence against the class is negative."""
    outputs, call = [], layer.call

    def record(*inputs, **options):
        outputs.append(call(*inputs, **options))
        tape.watch(outputs[-1])
        return outputs[-1]

    with tf.GradientTape(watch_accessed_variables=False) as tape:
        with mock.patch.object(layer, "call", record):
            scores = SCALE * class_scores(model, x, classes)
    [features] = outputs  # an error unless the layer was called once
    gradients = tf.cast(tape.gradient(scores, features), tf.float32) / SCALE
    alpha = tf.reduce_mean(gradients, [1, 2], keepdims=True)
    return tf.reduce_sum(alpha * tf.cast(features, tf.float32), -1)


random = np.random.default_rng(0)
x, y = random.normal(0.0, 0.3, [512, 16, 16, 1]), np.arange(512) % 2
for image, kind in zip(x, y):  # 0: a horizontal bar, 1: a vertical one
    row, column = random.integers(0, 12, 2)
    (image if kind else image.swapaxes(0, 1))[row:row + 5, column] += 1.0
keras.utils.set_random_seed(0)
keras.config.set_floatx("float64")  # in float32, processors differ
base = keras.Sequential([
    keras.Input([16, 16, 1]), keras.layers.Conv2D(8, 3),
    keras.layers.BatchNormalization(), keras.layers.ReLU(),
    keras.layers.Conv2D(8, 3, activation="relu", name="last")], name="base")
model = keras.Sequential([
    keras.Input([16, 16, 1]), base, keras.layers.GlobalAveragePooling2D(),
    keras.layers.Dropout(0.2), keras.layers.Dense(2)])
model.compile(keras.optimizers.Adam(0.02),
              keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(x, y, batch_size=64, epochs=24, verbose=0)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.keras")
    model.save(path)
    model = keras.models.load_model(path)

x = random.normal(0.0, 0.3, [16, 16, 1])
x[3, 1:6] += 1.0  # a horizontal bar in the left half,
x[8:13, 11] += 1.0  # a vertical one in the right half
x = tf.constant([x, x], tf.float32)  # once for each class
classes, black = tf.constant([0, 1]), tf.zeros_like(x)
slopes = saliency(model, x, classes)
parts = tf.function(integrated_gradients)(model, x, classes, black)
layer = model.get_layer("base").get_layer("last")
maps = grad_cam(model, layer, x, classes)
pictures = {"|saliency|": tf.abs(slopes), "integrated": parts,
            "Grad-CAM": maps}
bars = {}
for name, values in pictures.items():
    halves = tf.reshape(values, [2, values.shape[1], 2, -1])
    bars[name] = tf.reduce_sum(halves, [1, 3]).numpy()
    for c, (left, right) in enumerate(bars[name]):
        print(f"{name:10} class {c}: horizontal bar {left:5.2f},"
              f" vertical bar {right:5.2f}")
shift = class_scores(model, x, classes) - class_scores(model, black, classes)
print("sum of integrated:", tf.reduce_sum(parts, [1, 2, 3]).numpy().round(2))
print("f(x) - f(black):  ", shift.numpy().round(2))

absolute, *signed = bars.values()
assert (absolute.argmax(1) == 0).all() and all(
    (np.sign(each) == [[1, -1], [-1, 1]]).all() for each in signed), (
    "The image and three maps of it, for each class. |saliency| is largest on"
    " the horizontal bar for both classes; integrated gradients and Grad-CAM"
    " are positive on the bar of the class, and negative on the other.")
for suffix, ink in ("", "#23262b"), ("-dark", "#dfe1e6"):
    figure, axes = plt.subplots(2, 4, figsize=(7, 3.7), layout="constrained")
    for c, row in enumerate(axes):
        for plot, (name, values) in zip(row, {"image": x, **pictures}.items()):
            most = np.abs(values[c]).max()  # blue: positive, red: negative
            plot.imshow(values[c], "RdBu", vmin=-most, vmax=most)
            plot.set_title(f"{name}, class {c}", color=ink, fontsize=11)
            plot.axis("off")
    figure.savefig(f"images{suffix}.svg", transparent=True,
                   metadata={"Date": None})
