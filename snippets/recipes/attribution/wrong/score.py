"""Deliberately wrong: the gradient of a number that isn't the score."""

from unittest import mock

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
model = keras.Sequential([
    keras.Input([3]), keras.layers.Dense(8, "relu"),
    keras.layers.Dense(3, activation="softmax")])
last = model.layers[-1]
last.kernel.assign(30.0 * last.kernel)  # a confident model
x = tf.constant([[1.0, 2.0, -1.0], [-1.0, 0.5, 2.0]])
classes = tf.argmax(model(x), 1)


def report(name, score_of):
    with tf.GradientTape() as tape:
        tape.watch(x)
        score = score_of()
    gradient = tape.gradient(score, x).numpy()
    print(f"{name:27}", *(row.round(1) + 0.0 for row in gradient))


def logits():
    with mock.patch.object(last, "activation", keras.activations.linear):
        return model(x)


def chosen(values, **options):
    return tf.gather(values, classes, axis=1, **options)


print("probability of the class   ", tf.reduce_max(
    model(x), 1).numpy().round(2))
report("probability", lambda: chosen(model(x), batch_dims=1))
report("its logarithm", lambda: chosen(tf.math.log(model(x)), batch_dims=1))
report("all logits", logits)
report("logits, without batch_dims", lambda: chosen(logits()))
report("reduce_max of the logits", lambda: tf.reduce_max(logits()))
report("right: logit of its class", lambda: chosen(logits(), batch_dims=1))
