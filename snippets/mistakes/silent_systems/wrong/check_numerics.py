"""Deliberately wrong: an assertion in a function that XLA compiles."""

import tensorflow as tf


def guarded(x):
    return tf.debugging.check_numerics(tf.math.log(x), "log of x")


x = tf.constant([-1.0, 1.0])
for name, options in ("graph", {}), ("XLA", {"jit_compile": True}):
    try:
        print(name, tf.function(guarded, **options)(x).numpy())
    except tf.errors.InvalidArgumentError as error:
        print(name, "raises", type(error).__name__)
