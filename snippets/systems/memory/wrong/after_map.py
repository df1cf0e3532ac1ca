"""Deliberately wrong: after a map fails in a graph, recompute_grad fails."""
# tracebook: raises NotImplementedError

import tensorflow as tf

square = tf.recompute_grad(lambda x: x * x)


@tf.function
def mapped(x):
    return tf.map_fn(lambda row: tf.reshape(row, [3]), x)


try:
    mapped(tf.ones([2, 2]))
except ValueError:
    print("the map failed: its rows have two elements, not three")

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = square(x)
print(tape.gradient(y, x))
