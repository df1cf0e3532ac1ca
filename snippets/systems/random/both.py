"""The derivative of the mean cost of a normal sample, with two estimators."""

import tensorflow as tf

N = 100_000


def variance(d):
    v = 4 * (d - 1) ** 2 + 22 * (d - 1) + 30
    return v


for d in 1, 3, 10:
    epsilon = tf.random.stateless_normal([N, d], seed=[1, 2])
    mu, both = tf.ones([N, d]), []
    for pathwise in True, False:
        with tf.GradientTape() as tape:
            tape.watch(mu)
            z = mu + epsilon
            cost = tf.reduce_sum(z ** 2, 1)
            if not pathwise:
                log_p = -0.5 * (tf.stop_gradient(z) - mu) ** 2
                cost = tf.stop_gradient(cost) * tf.reduce_sum(log_p, 1)
        each = tape.gradient(cost, mu)[:, 0]
        both.append((tf.reduce_mean(each), tf.math.reduce_variance(each)))
    (mean, low), (same, high) = both
    print(f"d = {d:2d}  reparameterization: {mean:.2f}, variance {low:.1f}"
          f"  score: {same:.2f}, variance {high:.0f}  v = {variance(d)}")
