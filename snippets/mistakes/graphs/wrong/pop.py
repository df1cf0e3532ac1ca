"""Deliberately wrong: the forward pass saves a value for grad in a list."""
# tracebook: raises IndexError

import tensorflow as tf

saved = []


@tf.custom_gradient
def exponential(x):
    saved.append(tf.exp(x))

    def grad(upstream):
        return upstream * saved.pop()

    return saved[-1], grad


x = tf.constant(0.0)
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = exponential(x)
print(tape.gradient(y, x).numpy())
print(tape.gradient(y, x).numpy())
