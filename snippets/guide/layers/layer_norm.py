"""Layer normalization: the gradients for a batch of rows."""

import numpy as np
import tensorflow as tf

EPSILON = 1e-3


def mean(x):
    return tf.reduce_mean(x, axis=-1, keepdims=True)


# truth: gamma.shape == [3]; beta.shape == [3]; x.shape[1] == 3
@tf.custom_gradient
def layer_norm(x, gamma, beta):
    mu = mean(x)
    c = x - mu
    s = tf.sqrt(mean(c * c) + EPSILON)
    r = c / s

    def grad(upstream):
        r_bar = upstream * gamma
        c_bar = (r_bar - r * mean(r_bar * r)) / s
        downstream_x = c_bar - mean(c_bar)
        return (downstream_x, tf.reduce_sum(upstream * r, axis=0),
                tf.reduce_sum(upstream, axis=0))

    return gamma * r + beta, grad


def plain(x, gamma, beta):
    m, v = tf.nn.moments(x, -1, keepdims=True)
    return tf.nn.batch_normalization(x, m, v, beta, gamma, EPSILON)


x = tf.constant([[1.0, 2.0, 6.0], [5.0, 5.0, 5.0]], tf.float64)
gamma = tf.constant([1.0, 2.0, 3.0], tf.float64)
beta = tf.constant([0.0, 0.0, 1.0], tf.float64)
upstream = tf.constant([[1.0, 10.0, 100.0], [1.0, 2.0, 3.0]], tf.float64)
for function in (layer_norm, plain):
    with tf.GradientTape() as tape:
        tape.watch([x, gamma, beta])
        y = function(x, gamma, beta)
    print(function.__name__)
    print("  y", np.round(y, 4).tolist())
    for name, each in zip(("x", "gamma", "beta"), tape.gradient(
            y, [x, gamma, beta], output_gradients=upstream)):
        print("  downstream", name, (np.round(each, 4) + 0.0).tolist())
        if name == "x":
            sums = np.round(tf.reduce_sum(each, axis=-1), 6) + 0.0
            print("    its rows sum to", sums.tolist())
