"""The optimizer takes the slices as they are."""

import keras
import tensorflow as tf

table = tf.Variable(tf.ones([1000, 1]))
with tf.GradientTape() as tape:
    y = tf.reduce_sum(tf.gather(table, [0, 2, 2]))
rows = tape.gradient(y, table)
print("indices:", rows.indices.numpy(), " numbers:", rows.values.shape)
keras.optimizers.SGD(0.1).apply_gradients([(rows, table)])
print("table:", table[:4].numpy().ravel())
