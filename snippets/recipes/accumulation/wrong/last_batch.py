"""Deliberately wrong: the mean of means, with a small last batch."""

import tensorflow as tf

x = tf.constant([1.0, 2.0, 3.0, 4.0, 15.0])
w = tf.Variable(1.0)
whole = tf.reduce_mean(x)  # the derivative of the mean of w * x
sums, count, means = 0.0, 0, []
for batch in tf.data.Dataset.from_tensor_slices(x).batch(2):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w * batch)
    gradient = tape.gradient(loss, w)
    means.append(gradient / len(batch))
    sums, count = sums + gradient, count + len(batch)
print("all examples:          ", whole.numpy())
print("mean of batch means:   ", tf.reduce_mean(means).numpy())
print("sum / number of examples:", (sums / count).numpy())
