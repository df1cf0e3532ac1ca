"""The gradient of a lookup: a list of rows, or their sums."""

import tensorflow as tf


# truth: W.shape == (3, 2); i needs no gradient; i = tf.constant([2, 0, 2])
@tf.custom_gradient
def lookup(W, i):
    S = tf.one_hot(i, tf.shape(W)[0])
    z = tf.matmul(S, W)

    def grad(upstream):
        local = S
        downstream = tf.matmul(local, upstream, transpose_a=True)
        tf.print("upstream", upstream)
        tf.print("local", local)
        tf.print("downstream", downstream)
        return downstream, None

    return z, grad


# truth: W.shape == (3, 2); i needs no gradient; i = tf.constant([2, 0, 2])
@tf.custom_gradient
def lookup_rows(W, i):
    def grad(upstream):
        return tf.IndexedSlices(upstream, tf.identity(i), tf.shape(W)), None

    return tf.gather(W, i), grad


W = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
i = tf.constant([2, 0, 2])
for function in lookup, lookup_rows, tf.gather:
    with tf.GradientTape() as tape:
        tape.watch(W)
        z = function(W, i)
        loss = tf.reduce_sum(z * [[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]])
    found = tape.gradient(loss, W)
    if isinstance(found, tf.IndexedSlices):
        print("indices", found.indices.numpy(),
              " values", found.values.numpy().tolist())
    print("dense", tf.convert_to_tensor(found).numpy().tolist())
