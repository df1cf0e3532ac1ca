"""A tape for each batch, inside the loop over the dataset."""

import tensorflow as tf

w = tf.Variable(2.0)
data = tf.data.Dataset.from_tensor_slices([1.0, 3.0])


@tf.function
def slope(penalty):
    with tf.GradientTape() as tape:
        loss = penalty * w
    total = tape.gradient(loss, w)
    for x in data:
        with tf.GradientTape() as tape:
            loss = tf.square(w * x)
        total += tape.gradient(loss, w)
    return total


print("in a graph:     ", slope(5.0).numpy())
assert slope(5.0) == 5.0 + 2.0 * 2.0 * (1.0 + 9.0)
