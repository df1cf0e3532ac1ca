"""The flag stays outside the custom gradient and the graph."""

import tensorflow as tf


def scaled(x, doubled):
    factor = 2.0 if doubled else 1.0

    @tf.custom_gradient
    def rule(x):
        def grad(upstream):
            return upstream * factor

        return factor * x, grad

    return rule(x)


@tf.function
def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = scaled(x, True)
    return tape.gradient(y, x)


x, h = tf.constant(3.0), 0.125
difference = (scaled(x + h, True) - scaled(x - h, True)) / (2 * h)
print("custom            ", gradient(x).numpy())
print("finite differences", difference.numpy())
