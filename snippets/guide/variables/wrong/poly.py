"""Deliberately wrong: the documented example swaps its gradients."""

import tensorflow as tf

weights = tf.Variable(tf.ones([2]))
x = tf.constant([1.0, 2.0, 3.0])


def plain(x):
    return weights[1] * x + weights[0]


@tf.custom_gradient
def linear_poly(x):
    def grad_fn(dpoly, variables):
        dy_dw = dpoly * tf.stack([x ** 1, x ** 0])
        return dpoly * weights[1], [
            tf.reduce_sum(tf.reshape(dy_dw, [2, -1]), axis=1)]

    return plain(x), grad_fn


def gradient(function):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(function(x))
    return tape.gradient(loss, weights).numpy()


def differences(h=0.125):
    slopes = []
    for step in ([h, 0.0], [0.0, h]):
        weights.assign_add(step)
        above = tf.reduce_sum(plain(x))
        weights.assign_sub([2.0 * each for each in step])
        slopes.append((above - tf.reduce_sum(plain(x))).numpy() / (2.0 * h))
        weights.assign_add(step)
    return slopes


print("linear_poly  ", gradient(linear_poly))
print("autodiff     ", gradient(plain))
print("differences  ", *differences())
