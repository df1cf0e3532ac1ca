"""A bend at 0: the slope there is an argument of the custom gradient."""

import tensorflow as tf


def bend(left, right, at_zero):
    @tf.custom_gradient
    def function(x):
        slopes = tf.where(x > 0.0, right, tf.where(x < 0.0, left, at_zero))
        local = tf.cast(slopes, x.dtype)

        def grad(upstream):
            downstream = upstream * local
            tf.print("  upstream  ", upstream)
            tf.print("  local     ", local)
            tf.print("  downstream", downstream)
            return downstream

        return x * local, grad

    return function


x = tf.constant([-2.0, 0.0, 3.0])
for name, left, at_zero, plain in (
        ("relu, 0 at 0", 0.0, 0.0, tf.nn.relu),
        ("relu, 1/2 at 0", 0.0, 0.5, tf.nn.relu),
        ("abs, 0 at 0", -1.0, 0.0, tf.abs)):
    function = bend(left, 1.0, at_zero)
    print(name)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, same = function(x), plain(x)
        L = tf.reduce_sum(0.5 * (y - 1.0) ** 2)
        reference = tf.reduce_sum(0.5 * (same - 1.0) ** 2)
    tape.gradient(L, x)
    print("  autodiff  ", tape.gradient(reference, x).numpy(),
          " the same value:", bool(tf.reduce_all(y == same)))
