"""Deliberately wrong: a distance from a center, where one point lies on it."""

import tensorflow as tf


def probe(name, x):
    # truth: the rule is right
    @tf.custom_gradient
    def identity(x):
        def grad(upstream):
            nan, inf = [tf.math.count_nonzero(is_bad(upstream)) for is_bad
                        in (tf.math.is_nan, tf.math.is_inf)]
            line = tf.print("  upstream of", name, tf.shape(upstream),
                            " nan", nan, " inf", inf)
            with tf.control_dependencies([line]):
                return tf.identity(upstream)

        return tf.identity(x), grad

    return identity(x)


center = tf.constant([3.0, 4.0])
x = tf.constant([[1.0, 2.0], [2.0, 4.0]])
W = tf.Variable([[1.0, 0.0], [1.0, 2.0]], name="W")
b = tf.Variable(1.0, name="b")
with tf.GradientTape() as tape:
    h = probe("h", x @ W)
    u = probe("u", h - center)
    s = probe("s", tf.reduce_sum(u * u, axis=-1))
    r = probe("r", tf.sqrt(s))
    loss = probe("loss", b * tf.reduce_mean(r))

print("h    =", h.numpy().tolist())
print("s    =", s.numpy().tolist())
print("loss =", loss.numpy())
variables = tape.watched_variables()
for v, gradient in zip(variables, tape.gradient(loss, variables)):
    print(v.name, "gradient", gradient.numpy().tolist())
