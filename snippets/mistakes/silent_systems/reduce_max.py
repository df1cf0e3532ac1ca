"""Search the input for a NaN instead of the gradient."""

import tensorflow as tf


@tf.function(jit_compile=True)
def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_max(x)
    return tape.gradient(y, x), tf.reduce_any(tf.math.is_nan(x))


for x in tf.constant([1.0, 2.0, 0.0]), tf.constant([1.0, 2.0, float("nan")]):
    downstream, has_nan = gradient(x)
    print("NaN in the input" if has_nan else downstream.numpy())
