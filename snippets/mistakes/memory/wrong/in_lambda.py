"""Deliberately wrong: a layer that only a Lambda layer calls."""

import keras
import tensorflow as tf

inner = keras.layers.Dense(1)
# truth: the rule is right
recomputed = tf.recompute_grad(inner)
model = keras.Sequential([
    keras.Input((2,)), keras.layers.Dense(2),
    keras.layers.Lambda(lambda x: recomputed(x))])
print("weights of the model:", len(model.trainable_weights))
print("weights in all:",
      sum(len(each.weights) for each in (*model.layers, inner)))
