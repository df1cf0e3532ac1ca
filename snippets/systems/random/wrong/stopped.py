"""Deliberately wrong: the sample of this estimator lacks tf.stop_gradient."""

import tensorflow as tf

N = 100_000
mu = tf.constant(1.0)
for name, stop in ("wrong", tf.identity), ("right", tf.stop_gradient):
    with tf.GradientTape() as tape:
        tape.watch(mu)
        z = stop(mu + tf.random.stateless_normal([N], seed=[1, 2]))
        log_p = -0.5 * (z - mu) ** 2
        loss = tf.reduce_mean(tf.stop_gradient(z ** 2) * log_p)
    print(f"{name}  gradient {tape.gradient(loss, mu):.2f}"
          f"  exact {2.0 * mu:.2f}")
