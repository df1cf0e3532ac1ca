"""The variable is passed, and grad returns its gradient."""

import tensorflow as tf

w = tf.Variable(2.0, name="w")


# truth: x.shape == w.shape
@tf.custom_gradient
def product(x, w):
    def grad(upstream):
        return upstream * w, upstream * x

    return w * x, grad


x = tf.constant(3.0)
for function in product, tf.multiply:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x, w)
    dx, dw = tape.gradient(y, [x, w])
    print(f"{function.__name__:8} to x: {dx.numpy()}  to w: {dw.numpy()}")
