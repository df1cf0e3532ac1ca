"""The signature converts numbers to tensors, and leaves the length open."""

import tensorflow as tf

traces = []


# truth: factor.shape == []
@tf.custom_gradient
def scaled(x, factor):
    traces.append(x.shape)
    return factor * x, lambda upstream: (
        upstream * factor, tf.reduce_sum(upstream * x))


run = tf.function(scaled, input_signature=[
    tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.float32)])
for length in range(1, 6):
    run(tf.ones([length]), float(length))
assert run.experimental_get_tracing_count() == 1
print("traces:", len(traces), traces)
