"""Deliberately wrong: the Jacobian of a gradient that only runs eagerly."""
# tracebook: raises AttributeError

import tensorflow as tf


# truth: the rule is right; eager only; first derivative only
@tf.custom_gradient
def square(x):
    return x * x, lambda upstream: upstream * (2.0 * x.numpy())


# truth: the rule is right; eager only; first derivative only
@tf.custom_gradient
def passed(x):
    return x * 1.0, lambda upstream: tf.constant(upstream.numpy())


x = tf.constant([1.0, 2.0])
for function in square, passed:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = function(x)
    print(function.__name__, tape.gradient(y, x).numpy())
    print(tape.jacobian(y, x).numpy().tolist())
