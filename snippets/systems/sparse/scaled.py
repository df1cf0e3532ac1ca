"""One gradient function keeps the list of rows, one makes a tensor of it."""

import tensorflow as tf


# truth: s.shape == W.shape[:1]; s needs no gradient
@tf.custom_gradient
def scaled(W, s):
    def grad(upstream):
        if isinstance(upstream, tf.IndexedSlices):
            local = tf.gather(s, upstream.indices)[:, tf.newaxis]
            return tf.IndexedSlices(upstream.values * local, upstream.indices,
                                    upstream.dense_shape), None
        return upstream * s[:, tf.newaxis], None

    return W * s[:, tf.newaxis], grad


# truth: s.shape == W.shape[:1]; s needs no gradient
@tf.custom_gradient
def scaled_dense(W, s):
    def grad(upstream):
        upstream = tf.convert_to_tensor(upstream)
        return upstream * s[:, tf.newaxis], None

    return W * s[:, tf.newaxis], grad


n = 100
W, s = tf.ones([n, 4]), tf.range(1.0, n + 1.0)
for name, function in ("rows ", scaled), ("dense", scaled_dense):
    with tf.GradientTape() as tape:
        tape.watch(W)
        loss = tf.reduce_sum(tf.gather(function(W, s), [2, 0, 2]))
    found = tape.gradient(loss, W)
    values = found.values if name == "rows " else found
    print(name, "numbers held:", tf.size(values).numpy(),
          " of row 2:", tf.convert_to_tensor(found)[2].numpy())
