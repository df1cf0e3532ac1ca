"""The keyword is bound before the function is passed to recompute_grad."""

import functools

import keras
import tensorflow as tf

layer = keras.layers.Dropout(0.0)


@tf.function(autograph=False)
def run(x):
    return tf.recompute_grad(functools.partial(layer, training=True))(x)


x = tf.ones([2, 2])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = run(x)
print(tape.gradient(y, x).numpy().ravel())
