"""Gumbel-softmax: a relaxed sample of three classes, and its gradient."""

import numpy as np
import tensorflow as tf

N = 100_000


def relaxed(tau):
    # truth: theta.shape == g.shape
    @tf.custom_gradient
    def sample(theta, g):
        h = (theta + g) / tau
        y = tf.nn.softmax(h)

        def grad(upstream):
            inner = tf.reduce_sum(y * upstream, -1, keepdims=True)
            h_bar = y * (upstream - inner)
            downstream = h_bar / tau
            return downstream, downstream

        return y, grad

    return sample


theta = tf.constant([0.0, 1.0, 2.0])
u = tf.random.stateless_uniform([N, 3], seed=[1, 2], minval=1e-20)
g = -tf.math.log(-tf.math.log(u))
classes = tf.argmax(theta + g, -1)
print("softmax ", np.round(tf.nn.softmax(theta), 3))
print("sampled ", np.round(np.bincount(classes) / N, 3))

upstream = tf.constant([0.0, 0.0, 1.0])
for tau in 5.0, 1.0, 0.1:
    with tf.GradientTape() as tape:
        tape.watch(theta)
        y = relaxed(tau)(theta, g[0])
    one = tape.gradient(y, theta, output_gradients=upstream)
    x = theta + tf.zeros([N, 3])
    with tf.GradientTape() as tape:
        tape.watch(x)
        last = relaxed(tau)(x, g)[:, 2]
    each = tape.gradient(last, x)
    print(f"tau {tau:3.1f}  one y", np.round(y, 3),
          " downstream", np.round(one, 3),
          " mean", np.round(tf.reduce_mean(each, 0), 3),
          f" deviation {tf.math.reduce_std(each[:, 2]):.3f}")
p = tf.nn.softmax(theta)
print("exact  ", np.round(p * (upstream - p[2]), 3))
