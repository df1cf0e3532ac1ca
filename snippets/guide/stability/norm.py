"""The norm with a custom gradient: no overflow, and gradient 0 at zero."""

import tensorflow as tf


@tf.custom_gradient
def norm(x):
    x = tf.identity(x)  # for tapes outside a tf.function, and for tf.cond
    m = tf.reduce_max(tf.abs(x))
    scaled = tf.math.divide_no_nan(x, m)
    y = m * tf.sqrt(tf.reduce_sum(scaled * scaled))

    def grad(upstream):
        local = tf.math.divide_no_nan(x, norm(x))
        return upstream * local

    return y, grad


def both(x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = norm(x)
        first = inner.gradient(y, x)
        first_of_first = first[0]
    return y, first, outer.gradient(first_of_first, x)


compiled = tf.function(both, jit_compile=True, autograph=False)
for numbers in ([3.0, 4.0], [0.0, 0.0], [3e20, 4e20], [3e-25, 4e-25]):
    for mode, run in (("eager", both), ("XLA", compiled)):
        y, first, second = run(tf.constant(numbers))
        print(f"{mode:5}  y = {y:<8.3g} first =", *[f"{g:.3g}" for g in first],
              " second =", *[f"{g:.3g}" for g in second])
