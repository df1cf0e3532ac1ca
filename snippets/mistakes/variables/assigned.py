"""The function captures the variable, and grad captures the value."""

import tensorflow as tf
from tensorflow import keras

power = tf.Variable(0.0, trainable=False)


# truth: downstream becomes downstream / tf.reduce_mean(x * x)
# truth: abs(x) > 0.1; first derivative only
@tf.custom_gradient
def scaled(x):
    value = tf.reduce_mean(x * x)
    power.assign(value)

    def grad(upstream):
        return upstream / value

    return tf.identity(x), grad


class Scaled(keras.layers.Layer):
    def call(self, x):
        return scaled(x)


def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = scaled(x)
    return tape.gradient(y, x)


x = tf.constant([[1.0], [2.0]])
print("eager:", gradient(x).numpy().ravel())
print("graph:", tf.function(gradient)(x).numpy().ravel())
dense = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
model = keras.Sequential([keras.Input([1]), dense, Scaled()])
model.compile(keras.optimizers.SGD(0.1), "mse")
model.fit(x, tf.zeros_like(x), verbose=0)
print(f"fit, kernel: {dense.kernel.numpy().item():.4f}")
by_hand = tf.reduce_sum(x * gradient(x) * x).numpy()
print(f"by hand:     {1.0 - 0.1 * by_hand:.4f}")
