"""Deliberately wrong: three means over tokens, five of them with a label."""

import keras
import tensorflow as tf

labels = tf.constant([2, 0, 1, 2, 0, -1, -1, -1])
logits = tf.random.stateless_normal([8, 3], [1, 2])
mask = tf.cast(labels >= 0, tf.float32)
zero = tf.maximum(labels, 0)  # tf.nn rejects a label of -1
entropy = mask * tf.nn.sparse_softmax_cross_entropy_with_logits(zero, logits)
Loss = keras.losses.SparseCategoricalCrossentropy
rows = {
    "five tokens": tf.reduce_sum(entropy) / tf.reduce_sum(mask),
    "Keras, ignore_class": Loss(True, ignore_class=-1)(labels, logits),
    "Keras, sample_weight": Loss(True)(zero, logits, mask),
    "mean of two chunks' means": tf.reduce_mean([
        tf.reduce_sum(entropy[:4]) / tf.reduce_sum(mask[:4]),
        tf.reduce_sum(entropy[4:]) / tf.reduce_sum(mask[4:])]),
}
for name, loss in rows.items():
    print(f"{name:26} {loss:.3f}")
