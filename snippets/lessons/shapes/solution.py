"""Solution: the gradient function of y = W x, with its shapes."""

import tensorflow as tf


# truth: W.shape.rank == 2; x.shape.rank == 1
@tf.custom_gradient
def matvec(W, x):
    y = tf.linalg.matvec(W, x)

    def grad(upstream):
        downstream_W = upstream[:, tf.newaxis] * x[tf.newaxis, :]
        downstream_x = tf.linalg.matvec(W, upstream, transpose_a=True)
        tf.print("upstream     =", upstream)
        tf.print("downstream_x =", downstream_x)
        tf.print("downstream_W =")
        tf.print(downstream_W)
        return downstream_W, downstream_x

    return y, grad


def gradient(function, W, x):
    with tf.GradientTape() as tape:
        tape.watch([W, x])
        y = function(W, x)
        loss = tf.reduce_sum(y * [1.0, 10.0])
    return tape.gradient(loss, [W, x])


W = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
x = tf.constant([1.0, 0.0, -1.0])
by_custom = gradient(matvec, W, x)
by_autodiff = gradient(tf.linalg.matvec, W, x)
for name, custom, autodiff in zip("Wx", by_custom, by_autodiff):
    print(name, custom.shape, "equals autodiff:",
          bool(tf.reduce_all(custom == autodiff)))
