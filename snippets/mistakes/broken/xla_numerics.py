"""A guard against NaN, eagerly, in a graph and under XLA."""

import tensorflow as tf


def guarded(x):
    return tf.debugging.check_numerics(tf.math.log(x), "log")


def with_flag(x):
    y = tf.math.log(x)
    return y, tf.reduce_all(tf.math.is_finite(y))


x = tf.constant([-1.0, 1.0])
for mode, run in (("eager", guarded), ("tf.function", tf.function(guarded)),
                  ("XLA", tf.function(guarded, jit_compile=True))):
    try:
        print(f"{mode}: {run(x).numpy()}")
    except tf.errors.InvalidArgumentError as error:
        print(f"{mode}: {type(error).__name__}")
y, finite = tf.function(with_flag, jit_compile=True)(x)
print("XLA, with a flag:", y.numpy(), "finite:", finite.numpy())
