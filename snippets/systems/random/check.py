"""Compare four estimators with the exact derivative, in standard errors."""

import tensorflow as tf

N, c = 400_000, 0.45


def bit(theta, u):
    return tf.cast(u < tf.sigmoid(theta), tf.float32)


def score(theta, u):
    z = bit(theta, u)
    cost = (z - c) ** 2
    return -cost * tf.nn.sigmoid_cross_entropy_with_logits(z, theta)


def through(theta, u):
    p = tf.sigmoid(theta)
    return (p + tf.stop_gradient(bit(theta, u) - p) - c) ** 2


def relaxed(tau):
    def loss(theta, u):
        logistic = tf.math.log(u) - tf.math.log1p(-u)
        return (tf.sigmoid((theta + logistic) / tau) - c) ** 2

    return loss


soft = {f"relaxed, tau {tau}": relaxed(tau) for tau in (1.0, 0.125)}
u = tf.random.stateless_uniform([N], [3, 4], 1e-7, 1.0 - 1e-7)
for start in 1.0, -0.5:
    theta = tf.fill([N], start)
    p = tf.sigmoid(start)
    exact = p * (1.0 - p) * (1.0 - 2.0 * c)
    for name, loss in {"score function": score, "straight through": through,
                       **soft}.items():
        with tf.GradientTape() as tape:
            tape.watch(theta)
            total = loss(theta, u)
        each = tape.gradient(total, theta)
        error = tf.math.reduce_std(each) / N**0.5
        off = (tf.reduce_mean(each) - exact) / error
        print(f"theta {start:4.1f}  {name:18}"
              f"  exact {exact:.4f}  mean {tf.reduce_mean(each):.4f}"
              f"  off by {off:6.1f} standard errors")
