"""The running sum: n (n + 1) / 2 ones in J, n - 1 additions in grad."""

import tensorflow as tf


@tf.custom_gradient
def running_sum(x):
    def grad(upstream):
        downstream = tf.cumsum(upstream, reverse=True)
        tf.print("upstream =", upstream, " downstream =", downstream)
        return downstream

    return tf.cumsum(x), grad


x = tf.constant([1.0, 2.0, 3.0, 4.0])
weights = tf.constant([1.0, 10.0, 100.0, 1000.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = running_sum(x)
    loss = tf.reduce_sum(weights * y)
print("y =", y.numpy())
tape.gradient(loss, x)

with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.cumsum(x)
jacobian = tape.jacobian(y, x)
print(jacobian.numpy())
print("upstream J =", (weights[None, :] @ jacobian)[0].numpy())
