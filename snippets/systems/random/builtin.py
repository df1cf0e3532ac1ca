"""Compare the mean of many gradients with the derivative of the mean."""

import tensorflow as tf

N, seed = 100_000, [1, 2]
S, E, Z = tf.random, tf.random.experimental, tf.ones([N])
tf.random.set_seed(1)
for name, draw, right in [
        ("normal, mean", lambda t: S.normal([N], mean=t), 1.0),
        ("normal, stddev 2", lambda t: S.normal([N], stddev=t) ** 2, 4.0),
        ("uniform, maxval", lambda t: S.uniform([N], maxval=t), 0.5),
        ("stateless_uniform", lambda t: S.stateless_uniform(
            [N], seed, maxval=t), 0.5),
        ("truncated_normal", lambda t: S.truncated_normal([N], t), 1.0),
        ("gamma, alpha", lambda t: S.gamma([N], t), 1.0),
        ("gamma, beta", lambda t: S.gamma([N], 1.0, t), -0.25),
        ("stateless_gamma", lambda t: S.stateless_gamma(
            [N], seed, t), 1.0),
        ("poisson, lam", lambda t: S.poisson([N], t), 1.0),
        ("stateless_poisson", lambda t: S.stateless_poisson(
            [N], seed, t), 1.0),
        ("binomial, probs", lambda t: S.stateless_binomial(
            [N], seed, 5.0, t / 4.0, tf.float32), 1.25),
        ("categorical", lambda t: tf.cast(S.categorical(
            tf.stack([[0.0, t]]), N), tf.float32), 0.10499),
        ("uniform < t / 4", lambda t: tf.cast(
            S.uniform([N]) < t / 4.0, tf.float32), 0.25),
        ("shuffle", lambda t: S.shuffle(t * Z), 1.0)]:
    t = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(t)
        mean = tf.reduce_mean(draw(t))
    try:
        slope = tape.gradient(mean, t)
        says = "None" if slope is None else f"{slope:.3f}"
    except LookupError as error:
        says = type(error).__name__
    print(f"{name:17}  gradient {says:11}  right {right:.3f}")
