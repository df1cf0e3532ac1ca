"""A custom gradient of a ragged tensor: the square of each number."""

import tensorflow as tf


@tf.custom_gradient
def square(x):
    def grad(upstream):
        tf.print("upstream", upstream.values)
        return upstream * 2.0 * x

    return x * x, grad


# truth: rows needs no gradient; rows = tf.constant([0, 0, 1])
# truth: values.shape == (3,)
@tf.custom_gradient
def flat(values, rows):
    def grad(upstream):
        return tf.gather(upstream, rows) * 2.0 * values, None

    return tf.math.unsorted_segment_sum(values ** 2, rows, 2), grad


x = tf.ragged.constant([[1.0, 2.0], [3.0]])


def gradient(source, of_rows):
    with tf.GradientTape() as tape:
        tape.watch(x.flat_values)
        loss = tf.reduce_sum(of_rows() * [1.0, 10.0])
    return tape.gradient(loss, source)


for name, run in ("eager", square), ("graph", tf.function(square)):
    for source in x, x.flat_values:
        found = gradient(source, lambda: tf.reduce_sum(run(x), axis=1))
        print(name, found)
found = gradient(x.flat_values, lambda: flat(x.flat_values, x.value_rowids()))
print("flat ", found)
