"""The logarithm of a learned step, for one weight outside the range."""

import tensorflow as tf

Q = 3.0


# truth: the gradient of tf.identity
@tf.custom_gradient
def straight(v):
    return tf.round(v), lambda upstream: upstream


@tf.custom_gradient
def exponential(t):
    s = tf.exp(t)

    def grad(upstream):
        local = s
        downstream = upstream * local
        tf.print("upstream  ", upstream)
        tf.print("local     ", local)
        tf.print("downstream", downstream)
        return downstream

    return s, grad


def loss(s):
    q = s * straight(tf.clip_by_value(w / s, -Q, Q))
    return q**2


w = tf.constant(2.0, tf.float64)
t = tf.math.log(tf.constant(0.5, tf.float64))
with tf.GradientTape() as tape:
    tape.watch(t)
    s = exponential(t)
    L = loss(s)
downstream_t = tape.gradient(L, t)
h = 1e-6
difference = (loss(tf.exp(t + h)) - loss(tf.exp(t - h))) / (2 * h)
print(f"downstream_t = {downstream_t:.4f}  finite difference {difference:.4f}")
