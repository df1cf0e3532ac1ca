"""A soft maximum: the mean of the elements with softmax weights."""

import tensorflow as tf

beta = 1.0


# truth: x.shape.rank == 1
@tf.custom_gradient
def soft_max(x):
    x = tf.identity(x)  # for tf.cond
    p = tf.nn.softmax(beta * x)
    y = tf.reduce_sum(x * p)
    return y, lambda upstream: upstream * p * (1.0 + beta * (x - y))


x = tf.constant([0.0, 3.0, 2.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = soft_max(x)
print(f"y = {y:.4f}")
print("downstream =", tape.gradient(y, x).numpy().round(4))
