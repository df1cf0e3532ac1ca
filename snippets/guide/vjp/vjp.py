"""A gradient function with three inputs, two outputs and four rows."""

import tensorflow as tf


@tf.custom_gradient
def pair(x):
    x1, x2, x3 = tf.unstack(x)
    y = tf.stack([x1 * x2, x2 * tf.sin(x3)])

    def grad(upstream):
        u1, u2 = tf.unstack(upstream)
        downstream = tf.stack([
            u1 * x2,
            u1 * x1 + u2 * tf.sin(x3),
            u2 * x2 * tf.cos(x3)])
        tf.print("upstream =", upstream, " downstream =", downstream)
        return downstream

    return y, grad


x = tf.constant([2.0, 3.0, 0.0])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = pair(x)
    loss = 5.0 * y[0] - y[1]
print("x:", x.shape, " y:", y.shape, "=", y.numpy())

print("the scalar L = 5 y1 - y2")
tape.gradient(loss, x)
print("the vector y")
tape.gradient(y, x)
print("the vector y, with output_gradients")
tape.gradient(y, x, output_gradients=tf.constant([5.0, -1.0]))
print("one unit row after the other")
rows = [tape.gradient(y, x, output_gradients=row) for row in tf.eye(2)]
print("tape.jacobian")
jacobian = tape.jacobian(y, x)
print("equal to the rows:", bool(tf.reduce_all(jacobian == tf.stack(rows))))
