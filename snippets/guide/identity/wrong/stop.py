"""Deliberately wrong: x + stop_gradient(f(x) - x), where x is large."""

import tensorflow as tf


def stop_form(x):
    return x + tf.stop_gradient(tf.sign(x) - x)


# truth: the rule is right
# truth: the gradient of tf.identity
@tf.custom_gradient
def rule(x):
    def grad(upstream):
        return upstream

    return tf.sign(x), grad


x = tf.constant([0.3, 1e4, 1e8, float("inf")])
print("x          =", x.numpy())
for function in (tf.sign, stop_form, rule):
    print(f"{function.__name__:10} =", function(x).numpy())
half = tf.constant([0.3, 300.0, 3000.0], tf.float16)
print("in float16, at", half.numpy(), "stop_form =", stop_form(half).numpy())
