"""The mask is drawn outside, so both runs use the same mask."""

import tensorflow as tf

tf.random.set_seed(1)


@tf.recompute_grad
def masked(x, mask):
    return x * mask


def dropped(x):
    return masked(x, tf.nn.dropout(tf.ones_like(x), 0.5))


x = tf.ones([8])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = dropped(x)
slope = tape.gradient(y, x)
tf.debugging.assert_equal(slope * x, y)
print("y = x *", y.numpy().astype(int))
print("dy/dx =", slope.numpy().astype(int))
