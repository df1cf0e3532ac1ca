"""Deliberately wrong: a row of zeros gets an enormous gradient."""

import keras
import tensorflow as tf


def by_norm(x):
    return x / tf.norm(x, axis=-1, keepdims=True)


def l2_normalize(x):
    return tf.math.l2_normalize(x, axis=-1)


unit_normalization = keras.layers.UnitNormalization(dtype="float32")
target = tf.constant([[0.0, 1.0]])


def similarity(normalize):
    return lambda x: tf.reduce_sum(target * normalize(x))


def keras_similarity(x):
    return -keras.losses.CosineSimilarity()(target, x)


def largest(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return float(tf.reduce_max(tf.abs(tape.gradient(y, x))))


print("largest element of the gradient:   [3, 4]    [0, 0]")
for name, function in {
    "x / tf.norm(x)": similarity(by_norm),
    "tf.math.l2_normalize": similarity(l2_normalize),
    "keras.losses.CosineSimilarity": keras_similarity,
    "keras.layers.UnitNormalization": similarity(unit_normalization),
}.items():
    of_row = largest(function, tf.constant([[3.0, 4.0]]))
    of_zeros = largest(function, tf.constant([[0.0, 0.0]]))
    print(f"{name:33} {of_row:8.3f}  {of_zeros:8.0e}")
half = largest(keras_similarity, tf.zeros([1, 2], tf.float16))
print(f"CosineSimilarity in float16                 {half:8.0e}")
