"""A dense layer whose variables are passed as arguments."""

import tensorflow as tf


# truth: W.shape[1:] == b.shape
# truth: x.shape.rank == W.shape.rank == 2
@tf.custom_gradient
def dense(x, W, b):
    def grad(upstream):
        downstream_x = tf.matmul(upstream, W, transpose_b=True)
        downstream_W = tf.matmul(x, upstream, transpose_a=True)
        downstream_b = tf.reduce_sum(upstream, axis=0)
        return downstream_x, downstream_W, downstream_b

    return tf.matmul(x, W) + b, grad


W = tf.Variable([[1.0, -1.0], [2.0, 0.0], [0.0, 3.0]])
b = tf.Variable([10.0, 20.0])
x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
weights = tf.constant([[1.0, 0.0], [0.0, 10.0]])
with tf.GradientTape() as tape:
    y = dense(x, tf.convert_to_tensor(W), tf.convert_to_tensor(b))
    loss = tf.reduce_sum(weights * y)
for symbol, gradient in zip("Wb", tape.gradient(loss, [W, b])):
    print(f"downstream {symbol} = {gradient.numpy().tolist()}")
