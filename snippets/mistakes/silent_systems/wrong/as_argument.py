"""Wrong on purpose: a function with a rule is an argument of tf.function."""

import tensorflow as tf


@tf.function
def apply(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


# truth: the rule is right; the gradient of x
passed = tf.grad_pass_through(tf.round)
x = tf.constant(1.3)
print("wrong", apply(passed, x))
print("right", apply(lambda x: passed(x), x).numpy())
