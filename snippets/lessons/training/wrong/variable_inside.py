"""Deliberately wrong: the decorated function reads a trainable variable."""
# tracebook: raises TypeError

import tensorflow as tf

weight = tf.Variable(-1.0)


@tf.custom_gradient
def sign_of_product(inputs):
    x = weight * inputs

    def grad(upstream):
        s = tf.sigmoid(x)
        local = s * (1.0 - s) * weight
        return upstream * local

    return tf.sign(x), grad


print("sign of the product:", sign_of_product(tf.constant(2.0)))
