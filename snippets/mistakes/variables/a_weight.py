"""The value of the weight is passed."""

import tensorflow as tf
from tensorflow import keras

w = keras.Variable(2.0, name="w")


# truth: w.shape == []
@tf.custom_gradient
def scaled(x, w):
    def grad(upstream):
        return upstream * w, tf.reduce_sum(upstream * x)

    return x * w, grad


x = tf.constant([3.0, 4.0])
for function in scaled, tf.multiply:
    with tf.GradientTape() as tape:
        y = function(x, tf.convert_to_tensor(w))
    print(f"{function.__name__:8}", tape.gradient(y, w.value).numpy())
