"""The mask is drawn once, and kept."""

import tensorflow as tf


def mask(x):
    return tf.cast(tf.random.uniform(tf.shape(x)) < 0.5, x.dtype)


# truth: the rule is right
@tf.custom_gradient
def dropped(x):
    kept = mask(x)

    def grad(upstream):
        return upstream * kept

    return x * kept, grad


tf.random.set_seed(1)
x = tf.ones([8])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = dropped(x)
gradient = tape.gradient(y, x)
assert tf.reduce_all(gradient * x == y)
print("custom", gradient.numpy())
print("right ", (y / x).numpy())
