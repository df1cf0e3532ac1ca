"""Round up or down at random: right on average, with the slope of the mean."""

import numpy as np
import tensorflow as tf


# truth: the gradient of x; x.shape == u.shape; u needs no gradient
@tf.custom_gradient
def round_at_random(x, u):
    return tf.floor(x + u), lambda upstream: (upstream, None)


noise = np.random.default_rng(0).random([10000, 3], np.float32)
x, u = tf.constant([0.25, -1.5, 2.9]), tf.constant(noise)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = round_at_random(tf.broadcast_to(x, u.shape), u)
    mean = tf.reduce_mean(y, axis=0)
    L = tf.reduce_sum(mean * [1.0, 10.0, 100.0])
print("three samples", y[:3].numpy().tolist())
print("mean         ", mean.numpy().round(2))
print("dL/dx        ", tape.gradient(L, x).numpy().round(2))
