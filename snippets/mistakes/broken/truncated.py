"""The mean of truncated normal samples, with bounds at -1 and 1."""

import tensorflow as tf


def sample(mean, low, high):
    return tf.random.stateless_parameterized_truncated_normal(
        [100_000], [1, 2], mean, 1.0, low, high)


def by_operation(mean):
    return sample(mean, -1.0, 1.0)


def standardized(mean):
    return mean + sample(0.0, -1.0 - mean, 1.0 - mean)


mean = tf.constant(0.7)
for function in by_operation, standardized:
    with tf.GradientTape() as tape:
        tape.watch(mean)
        average = tf.reduce_mean(function(mean))
    gradient = tape.gradient(average, mean)
    sides = [tf.reduce_mean(function(mean + step)) for step in (-0.05, 0.05)]
    difference = (sides[1] - sides[0]) / 0.1
    print(f"{function.__name__}: mean {average:.2f}"
          f"  gradient {gradient:.2f}  difference {difference:.2f}")
