"""Deliberately wrong: each Python number makes a new graph."""

import tensorflow as tf

traces = []


# truth: the rule is right; factor.shape == []
@tf.custom_gradient
def scaled(x, factor):
    traces.append(factor)
    return factor * x, lambda upstream: (
        upstream * factor, tf.reduce_sum(upstream * x))


@tf.function
def run(x, factor):
    return scaled(x, factor)


x = tf.constant([1.0, 2.0])
for factor in 1.0, 2.0, 3.0:
    run(x, factor)
print("Python numbers:", len(traces), "traces")
traces.clear()
for factor in tf.constant([1.0, 2.0, 3.0]):
    run(x, factor)
print("tensors:", len(traces), "trace")
