"""Soft argmax and soft rank, against finite differences."""

import numpy as np
import tensorflow as tf

random = np.random.default_rng(1)
c, beta, tau = np.arange(5.0), 2.0, 0.5


# truth: x.shape[-1] == 5
@tf.custom_gradient
def soft_argmax(x):
    p = tf.nn.softmax(beta * x)
    y = tf.reduce_sum(c * p, axis=-1)
    return y, lambda upstream: upstream[..., None] * beta * p * (
        c - y[..., None])


def compared(x):
    return x[..., :, None] - x[..., None, :]


# truth: x.shape.rank > 0
@tf.custom_gradient
def soft_rank(x):
    above = compared(x) / tau
    r = 0.5 + tf.reduce_sum(tf.sigmoid(above), axis=-1)

    def grad(upstream):
        S = tf.sigmoid(above) * tf.sigmoid(-above) / tau
        return tf.reduce_sum(S * compared(upstream), axis=-1)

    return r, grad


h = 1e-5
for function in soft_argmax, soft_rank:
    x = tf.constant(random.normal(size=5))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    upstream = random.normal(size=y.shape)
    gradient = tape.gradient(y, x, tf.constant(upstream)).numpy()
    v = random.normal(size=x.shape)
    change = (function(x + h * v) - function(x - h * v)).numpy() / (2 * h)
    agrees = np.isclose(gradient @ v, np.sum(upstream * change), 1e-7)
    print(f"{function.__name__:11} agrees: {agrees}")
