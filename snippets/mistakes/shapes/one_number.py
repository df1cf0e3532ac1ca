"""The sum is reshaped to the shape of the variable."""

import tensorflow as tf


# truth: offset.shape == [1]; x.shape.rank > 0
@tf.custom_gradient
def shifted(x, offset):
    def grad(upstream):
        total = tf.reduce_sum(upstream)
        return upstream, tf.reshape(total, tf.shape(offset))

    return x + offset, grad


x, offset = tf.ones([2, 3]), tf.Variable([2.0])
for function in shifted, tf.add:
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(function(x, offset))
    gradient = tape.gradient(loss, offset)
    assert gradient.shape == offset.shape
    print(f"{function.__name__:7}", gradient.numpy())
