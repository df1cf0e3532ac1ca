"""Deliberately wrong: clips the norm of each tensor, not the global norm."""

import tensorflow as tf


# truth: the rule is right
# truth: upstream becomes tf.clip_by_norm(upstream, 1.0)
# truth: dense upstream
@tf.custom_gradient
def clipped(x):
    def grad(upstream):
        return tf.clip_by_norm(upstream, 1.0)

    return tf.identity(x), grad


def gradients(function):
    with tf.GradientTape() as tape:
        tape.watch([u, v])
        p, q = function(u, v)
        L = tf.reduce_sum(p * [30.0, 40.0]) + tf.reduce_sum(q)
    return tape.gradient(L, [u, v])


def tell(name, pair):
    cosine = sum(tf.reduce_sum(a * b) for a, b in zip(pair, true)) / (
        tf.linalg.global_norm(pair) * tf.linalg.global_norm(true))
    print(f"{name:12}", *[each.numpy().round(4) for each in pair],
          f" global norm {tf.linalg.global_norm(pair):.4f}"
          f"  cosine {cosine:.4f}")


u, v = tf.constant([0.0, 0.0]), tf.constant([0.0, 0.0])
true = gradients(lambda u, v: (u, v))
tell("not clipped", true)
tell("each to 1", gradients(lambda u, v: (clipped(u), clipped(v))))
tell("at the end", tf.clip_by_global_norm(true, 1.0)[0])
tell("as one", gradients(
    lambda u, v: tf.split(clipped(tf.concat([u, v], 0)), 2)))
