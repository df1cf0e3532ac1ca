"""A ragged tensor goes into a rule: the sum of squares of each row."""

import tensorflow as tf


# truth: x.flat_values.shape == (3,)
@tf.custom_gradient
def squares(x):
    def grad(upstream):
        tf.print("upstream", upstream)
        each = tf.gather(upstream, x.value_rowids())
        return x.with_values(each * 2.0 * x.values)

    return tf.reduce_sum(x * x, axis=1), grad


# truth: rows needs no gradient; rows = tf.constant([0, 0, 1])
# truth: values.shape == (3,)
@tf.custom_gradient
def flat(values, rows):
    def grad(upstream):
        return tf.gather(upstream, rows) * 2.0 * values, None

    return tf.math.unsorted_segment_sum(values ** 2, rows, 2), grad


x = tf.ragged.constant([[1.0, 2.0], [3.0]])


def gradient(source, function):
    with tf.GradientTape() as tape:
        tape.watch(x.flat_values)
        loss = tf.reduce_sum(function() * [1.0, 10.0])
    return tape.gradient(loss, source)


for name, run in ("eager", squares), ("graph", tf.function(squares)):
    print(name, gradient(x, lambda: run(x)))
    print(name, gradient(x.flat_values, lambda: run(x)).numpy())
print("flat ", gradient(
    x.flat_values, lambda: flat(x.flat_values, x.value_rowids())).numpy())
