"""A spike is a step of the potential, with the derivative of an arctan."""

import tensorflow as tf


# truth: the gradient of tf.atan(2.0 * v) / 2.0
@tf.custom_gradient
def spike(v):
    s = tf.cast(v > 0.0, v.dtype)

    def grad(upstream):
        local = 1.0 / (1.0 + 4.0 * v * v)
        downstream = upstream * local
        tf.print("upstream  ", upstream)
        tf.print("local     ", local)
        tf.print("downstream", downstream)
        return downstream

    return s, grad


v = tf.constant([-2.0, -0.5, 0.0, 0.5, 2.0], tf.float64)
weights = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0], tf.float64)
with tf.GradientTape(persistent=True) as tape:
    tape.watch(v)
    s = spike(v)
    loss = tf.reduce_sum(weights * s)
    plain = tf.reduce_sum(weights * tf.nn.relu(tf.sign(v)))
print("v         ", v.numpy())
print("s         ", s.numpy())
gradient = tape.gradient(loss, v)
h = 1e-6
surrogate = (tf.atan(2.0 * (v + h)) - tf.atan(2.0 * (v - h))) / 2.0
print("surrogate ", (surrogate / (2.0 * h)).numpy().round(6))
print("tf.sign   ", tape.gradient(plain, v).numpy())
