"""Deliberately wrong: the activation changes after a tf.function is traced."""

import tensorflow as tf
from tensorflow import keras


# truth: the rule is right; upstream becomes tf.nn.relu(upstream)
@tf.custom_gradient
def guided_relu(x):
    def grad(upstream):
        return tf.nn.relu(upstream) * tf.cast(x > 0.0, x.dtype)

    return tf.nn.relu(x), grad


layer = keras.layers.Dense(2, "relu", kernel_initializer="identity")
model = keras.Sequential([keras.Input([2]), layer])


@tf.function
def saliency(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(model(x) * [[1.0, -1.0]])
    return tape.gradient(y, x)


x = tf.constant([[3.0, 4.0]])
print("relu:       ", saliency(x).numpy())
layer.activation = guided_relu
print("guided relu:", saliency(x).numpy(), " should be [[1. 0.]]")
print("eager:      ", saliency.python_function(x).numpy())
