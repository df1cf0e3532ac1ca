"""The variable is passed."""

import tensorflow as tf

w = tf.Variable(2.0, trainable=False)


# truth: x.shape == w.shape
@tf.custom_gradient
def product(x, w):
    def grad(upstream):
        return upstream * w, upstream * x

    return w * x, grad


x = tf.constant(3.0)
for function in product, tf.multiply:
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = function(x, w)
    gradient = tape.gradient(y, w)
    assert gradient is not None
    print(f"{function.__name__:8} to w:", gradient.numpy())
