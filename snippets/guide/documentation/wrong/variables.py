"""Deliberately wrong: train with the documented order of the gradients."""

import tensorflow as tf


def train(order, steps=20):
    weights = tf.Variable([1.0, 1.0])
    x = tf.constant([1.0, 2.0, 3.0])
    target = 2.0 + 0.5 * x

    @tf.custom_gradient
    def linear(x):
        def grad(upstream, variables=None):
            parts = {"w0": tf.reduce_sum(upstream),
                     "w1": tf.reduce_sum(upstream * x)}
            return upstream * weights[1], [tf.stack([parts[n] for n in order])]

        return weights[0] + weights[1] * x, grad

    losses = []
    for _ in range(steps + 1):
        with tf.GradientTape(persistent=True) as tape:
            y = linear(x)
            loss = tf.reduce_sum((y - target) ** 2)
        if not losses:
            print(f"stack({', '.join(order)})  gradient of y",
                  tape.gradient(y, weights).numpy(), end="  ")
        losses.append(loss.numpy())
        weights.assign_sub(0.05 * tape.gradient(loss, weights))
    print(f"loss {losses[0]:.4f} to {losses[-1]:.4f}")


train(("w1", "w0"))
train(("w0", "w1"))
