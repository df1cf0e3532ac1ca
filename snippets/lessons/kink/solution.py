"""Solution: the slope at 0 that gives relu(x) - relu(-x) gradient 1."""

import tensorflow as tf


@tf.custom_gradient
def relu(x):
    def grad(upstream):
        local = 0.5 * (1.0 + tf.sign(x))
        return upstream * local

    return tf.where(x > 0.0, x, 0.0), grad


def gradient(function):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x).numpy()


x = tf.constant([-1.0, 0.0, 1.0])
print("x                 =", x.numpy())
print("custom            =", gradient(relu))
print("tf.nn.relu        =", gradient(tf.nn.relu))
print("tf.maximum(x, 0)  =", gradient(lambda x: tf.maximum(x, 0.0)))
print("tf.maximum(0, x)  =", gradient(lambda x: tf.maximum(0.0, x)))
print("tf.abs            =", gradient(tf.abs))
print("relu(x) - relu(-x), whose value is x:")
print("custom            =", gradient(lambda x: relu(x) - relu(-x)))
print("tf.nn.relu        =",
      gradient(lambda x: tf.nn.relu(x) - tf.nn.relu(-x)))
