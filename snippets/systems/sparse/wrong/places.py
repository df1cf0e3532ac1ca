"""Deliberately wrong: a factor for each row multiplies a list of rows."""

import tensorflow as tf


# truth: W.shape == (3, 1); s.shape == (3,); s needs no gradient
@tf.custom_gradient
def scaled(W, s):
    def grad(upstream):
        if isinstance(upstream, tf.IndexedSlices):
            values = upstream.values * s[:, tf.newaxis]
            return tf.IndexedSlices(values, upstream.indices,
                                    upstream.dense_shape), None
        return upstream * s[:, tf.newaxis], None

    return W * s[:, tf.newaxis], grad


W, s = tf.ones([3, 1]), tf.constant([1.0, 10.0, 100.0])
for name, function in (("wrong", scaled),
                       ("right", lambda W, s: W * s[:, tf.newaxis])):
    with tf.GradientTape() as tape:
        tape.watch(W)
        loss = tf.reduce_sum(tf.gather(function(W, s), [2, 0, 2]))
    found = tf.convert_to_tensor(tape.gradient(loss, W))
    print(name, found.numpy().ravel())
