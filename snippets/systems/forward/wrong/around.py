"""Deliberately wrong: a tape around forward mode around a tf.function."""

import tensorflow as tf


@tf.function
def cube(x):
    return x * x * x


def derivative(x):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = cube(x)
    return accumulator.jvp(y)


def second(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        first = derivative(x)
    return tape.gradient(first, x)


x = tf.constant(0.7)
print(f"first = {derivative(x):.2f}")
try:
    second(x)
except tf.errors.InternalError as error:
    print("second:", str(error).partition("' ")[2])
