"""One gradient for each of two inputs, compared with autodiff."""

import tensorflow as tf


# truth: x.shape == y.shape
@tf.custom_gradient
def product(x, y):
    def grad(upstream):
        return upstream * y, upstream * x

    return x * y, grad


x, y = tf.constant(2.0), tf.constant(3.0)
for function in product, tf.multiply:
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = function(x, y)
    dx, dy = tape.gradient(z, [x, y])
    print(f"{function.__name__:8} dz/dx {dx.numpy()}  dz/dy {dy.numpy()}")
