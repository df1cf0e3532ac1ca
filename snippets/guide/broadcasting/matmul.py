"""One matrix for a batch of columns: its gradient is summed over the batch."""

import tensorflow as tf


def unbroadcast(gradient, like):
    shape = tf.shape(like)
    axes, _ = tf.raw_ops.BroadcastGradientArgs(s0=shape, s1=tf.shape(gradient))
    return tf.reshape(tf.reduce_sum(gradient, axes), shape)


@tf.custom_gradient
def product(W, x):
    def grad(upstream):
        each_W = tf.matmul(upstream, x, transpose_b=True)
        each_x = tf.matmul(W, upstream, transpose_a=True)
        downstream_W = unbroadcast(each_W, W)
        tf.print("backward upstream", tf.shape(upstream), " one for each",
                 tf.shape(each_W), " downstream_W", tf.shape(downstream_W))
        return downstream_W, unbroadcast(each_x, x)

    return tf.matmul(W, x), grad


W = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
x = tf.reshape(tf.range(12.0), [4, 3, 1])
for name, function in (("custom", product), ("autodiff", tf.matmul)):
    with tf.GradientTape() as tape:
        tape.watch([W, x])
        loss = tf.reduce_sum(function(W, x) * [[1.0], [10.0]])
    dW, dx = tape.gradient(loss, [W, x])
    print(f"{name:8}  W: {dW.numpy().tolist()}  x: {dx.shape}")
