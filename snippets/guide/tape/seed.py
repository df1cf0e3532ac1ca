"""The backward pass starts with ones, or with output_gradients."""

import tensorflow as tf


@tf.custom_gradient
def both(x):
    def grad(upstream_square, upstream_cube):
        tf.print("  upstream of the square", upstream_square,
                 " of the cube", upstream_cube)
        return upstream_square * 2.0 * x + upstream_cube * 3.0 * x * x

    return (x * x, x * x * x), grad


x = tf.constant([1.0, 2.0])
s = tf.constant([1.0, 10.0])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y, z = both(x)
    loss = tf.reduce_sum(s * z)

print("target y")
print(tape.gradient(y, x).numpy())
print("target z, output_gradients = s")
x_bar = tape.gradient(z, x, output_gradients=s)
print(x_bar.numpy())
print("target loss, the sum of s * z")
print(tape.gradient(loss, x).numpy())
print("targets [y, z]: one backward pass")
print(tape.gradient([y, z], x).numpy())
