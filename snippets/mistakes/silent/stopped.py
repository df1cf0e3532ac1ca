"""stop_gradient stands around the call."""

import tensorflow as tf


@tf.custom_gradient
def square(x):
    def grad(upstream):
        return upstream * 2.0 * x

    return x**2, grad


def stopped(x):
    return x + tf.stop_gradient(square(x))


def meant(x):
    return x + tf.stop_gradient(x**2)


x = tf.constant(3.0)
for function in stopped, meant:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    gradient = tape.gradient(y, x)
    assert gradient == 1.0
    print(f"{function.__name__:7}", gradient.numpy())
