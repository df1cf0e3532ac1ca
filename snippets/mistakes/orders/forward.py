"""The derivative of the gradient with respect to upstream uses grad."""

import tensorflow as tf


# truth: upstream becomes -upstream
@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda upstream: -upstream


def by_rule(function, x, direction):
    upstream = tf.zeros_like(x)
    with tf.GradientTape() as outer:
        outer.watch(upstream)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = function(x)
        downstream = inner.gradient(y, x, output_gradients=upstream)
    return outer.gradient(downstream, upstream, output_gradients=direction)


x, one = tf.constant(3.0), tf.constant(1.0)
print("eager:", by_rule(reverse, x, one).numpy())
print("outside tf.function:", by_rule(tf.function(reverse), x, one).numpy())
inside = tf.function(lambda x, v: by_rule(reverse, x, v))
print("inside tf.function:", inside(x, one).numpy())
