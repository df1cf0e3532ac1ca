"""grad computes in the dtype of upstream."""

import tensorflow as tf


@tf.custom_gradient
def leaky(x):
    def grad(upstream):
        return tf.where(x > 0, upstream, 0.25 * upstream)

    return tf.nn.leaky_relu(x, 0.25), grad


def plain(x):
    return tf.nn.leaky_relu(x, 0.25)


for dtype in (tf.float16, tf.bfloat16, tf.float32, tf.float64):
    x = tf.constant([-1.0, 1.0], dtype)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, autodiff = leaky(x), plain(x)
    rule = tape.gradient(y, x)
    assert rule.dtype == x.dtype
    print(f"{dtype.name:8} custom {rule.numpy().tolist()}  autodiff",
          tape.gradient(autodiff, x).numpy().tolist())
