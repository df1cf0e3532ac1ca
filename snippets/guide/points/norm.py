"""The 2-norm with a chosen gradient at 0, tested against the definition."""

import tensorflow as tf


def make(at_zero):
    # truth: x.shape == [2]
    @tf.custom_gradient
    def norm(x):
        zero = tf.reduce_all(x == 0.0)
        safe = tf.where(zero, tf.ones_like(x), x)
        r = tf.sqrt(tf.reduce_sum(safe * safe))
        local = tf.where(zero, tf.cast(at_zero, x.dtype), safe / r)

        def grad(upstream):
            downstream = upstream * local
            tf.print("  upstream", upstream, " local", local,
                     " downstream", downstream)
            return downstream

        return tf.where(zero, tf.zeros_like(r), r), grad

    return norm


for at_zero in ([0.0, 0.0], [0.6, -0.8]):
    norm = make(at_zero)
    print("at 0:", at_zero)
    for x in ([3.0, 4.0], [0.0, 0.0]):
        x = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            L = 10.0 * norm(x)
        tape.gradient(L, x)

print("the definition, |z| >= g z, at 100000 random z:")
z = tf.random.stateless_normal([100000, 2], seed=[1, 2])
for g in ([0.0, 0.0], [0.6, -0.8], [0.6, 0.9]):
    below = tf.norm(z, axis=1) - tf.linalg.matvec(z, g) >= -1e-5
    print("  g =", g, f" its length {tf.norm(g):.4f}  a subgradient:",
          bool(tf.reduce_all(below)))
