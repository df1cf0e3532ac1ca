"""The last query may attend to no key, and the loss leaves it out."""

import numpy as np
import tensorflow as tf

mask = tf.constant([[True, True], [True, False], [False, False]])
has_key = tf.reduce_any(mask, axis=1, keepdims=True)
x = tf.constant([[1.0, 2.0], [0.5, -1.0]])
w = tf.constant([[0.3, -0.2], [0.1, 0.4]])
queries = tf.constant([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])


def added(scores):
    return tf.nn.softmax(scores + tf.where(mask, 0.0, -np.inf))


def cut(scores):
    return tf.where(has_key, added(scores), 0.0)


def safe(scores):
    scores = tf.where(mask | ~has_key, scores, -np.inf)
    return tf.where(has_key, tf.nn.softmax(scores), 0.0)


for attend in added, cut, safe:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, w])
        keys, values = x @ w, x @ w
        output = attend(queries @ tf.transpose(keys)) @ values
        loss = tf.reduce_sum(tf.square(output[:2]))
    print(f"{attend.__name__:5} loss {loss:.4f}  last row"
          f" {output[2].numpy().round(2)}  gradient"
          f" {tape.gradient(loss, w)[0].numpy().round(4)}")
