"""A probe: an identity whose gradient function reports upstream."""

import tensorflow as tf


def probe(name, x):
    @tf.custom_gradient
    def identity(x):
        def grad(upstream):
            nan, inf = [tf.math.count_nonzero(is_bad(upstream)) for is_bad
                        in (tf.math.is_nan, tf.math.is_inf)]
            line = tf.print(
                name, tf.shape(upstream), upstream.dtype.name,
                " norm", tf.norm(upstream), " min", tf.reduce_min(upstream),
                " max", tf.reduce_max(upstream), " nan", nan, " inf", inf)
            with tf.control_dependencies([line]):
                return tf.identity(upstream)

        return tf.identity(x), grad

    return identity(x)


def distance(x, W):
    h = probe("h", x @ W)
    u = h - c
    s = probe("s", tf.reduce_sum(u * u, axis=-1))
    r = probe("r", tf.sqrt(s))
    return tf.reduce_mean(r)


def gradient(x, W, function=distance):
    with tf.GradientTape() as tape:
        tape.watch(W)
        loss = function(x, W)
    return tape.gradient(loss, W)


c = tf.constant([3.0, 4.0])
x = tf.constant([[2.0, 4.0], [3.0, 6.0]])
W = tf.constant([[1.0, 0.0], [1.0, 2.0]])
u = x @ W - c
r = tf.norm(u, axis=-1, keepdims=True)
print("r =", r.numpy()[:, 0], " u / r =", *(u / r).numpy())
for mode, function in (
        ("eager", gradient),
        ("tape inside a tf.function", tf.function(gradient)),
        ("tape outside a tf.function",
         lambda x, W: gradient(x, W, tf.function(distance)))):
    print(mode)
    print(function(x, W).numpy().tolist())
