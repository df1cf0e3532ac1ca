"""Deliberately wrong: Adam squares rows of one index separately."""

import keras
import numpy as np
import tensorflow as tf

table = tf.Variable([[1.0], [2.0]])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(tf.nn.embedding_lookup(table, [0, 0, 1]))
rows = tape.gradient(y, table)
dense = tf.convert_to_tensor(rows)

optimizers = keras.optimizers
for optimizer in (optimizers.SGD, optimizers.Adam, optimizers.AdamW,
                  optimizers.Adamax, optimizers.Nadam, optimizers.RMSprop,
                  optimizers.Adagrad, optimizers.Adadelta, optimizers.Ftrl):
    after = []
    for gradient in rows, dense:
        weights = keras.Variable([[1.0], [2.0]])
        each = optimizer(0.1)
        for _ in range(3):
            each.apply([gradient], [weights])
        after.append(np.round(weights.numpy().ravel(), 4))
    print(f"{optimizer.__name__:9} rows {after[0]}  dense {after[1]}")
