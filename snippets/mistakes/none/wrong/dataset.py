"""Deliberately wrong: a tape around a loop over a dataset, in a graph."""

import tensorflow as tf

w = tf.Variable(2.0)
data = tf.data.Dataset.from_tensor_slices([1.0, 3.0])


def slopes():
    with tf.GradientTape(persistent=True) as tape:
        loss = 0.0
        for x in data:
            loss += tf.square(w * x)
        penalized = loss + 5.0 * w
    return tape.gradient(loss, w), tape.gradient(penalized, w)


def show(name, gradients):
    print(name, [None if each is None else float(each)
                 for each in gradients])


show("eager:         ", slopes())
show("in a graph:    ", tf.function(slopes)())
with tf.GradientTape() as tape:
    loss = data.reduce(0.0, lambda total, x: total + tf.square(w * x))
show("dataset.reduce:", [tape.gradient(loss, w)])
