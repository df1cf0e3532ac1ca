"""Deliberately wrong: recompute_grad in a graph, with a keyword."""
# tracebook: raises ValueError

import keras
import tensorflow as tf

layer = keras.layers.Dropout(0.0)
# truth: the rule is right
recomputed = tf.recompute_grad(layer)


@tf.function(autograph=False)
def run(x):
    return recomputed(x, training=True)


x = tf.ones([2, 2])
run(x)
