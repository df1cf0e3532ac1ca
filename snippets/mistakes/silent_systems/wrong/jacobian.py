"""Deliberately wrong: differentiate the result of tape.jacobian again."""

import tensorflow as tf


# truth: the rule is right; downstream becomes 0.1 * downstream
@tf.custom_gradient
def tenth(x):
    return tf.identity(x), lambda upstream: 0.1 * upstream


# truth: the rule is right; first derivative only
@tf.custom_gradient
def square(x):
    return 4.0 * x * x, lambda upstream: tenth(upstream * 8.0 * x)


def second(x, **options):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape(persistent=True) as inner:
            inner.watch(x)
            y = square(x)
        first = inner.jacobian(y, x, **options)
    return outer.gradient(first, x).numpy()


x = tf.constant(1.0)
print("wrong", second(x))
print("right", second(x, experimental_use_pfor=False))
