"""The function is captured, or wrapped in functools.partial."""

import functools

import tensorflow as tf


# truth: upstream becomes -upstream
@tf.custom_gradient
def ruled(x):
    return 2.0 * x, lambda upstream: -2.0 * upstream


def total(function, x):
    y = function(x)
    assert tf.is_tensor(y), "the decorator was removed"
    return tf.reduce_sum(y)


x = tf.constant(3.0)
for name, run in (
        ("captured", tf.function(lambda x: total(ruled, x))),
        ("partial", functools.partial(
            tf.function(total), functools.partial(ruled))),
        ("eager", functools.partial(total, ruled))):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = run(x)
    print(f"{name:11}", tape.gradient(y, x).numpy())
