"""Deliberately wrong: rows of one index are not added before the norm."""

import tensorflow as tf

table = tf.Variable([[0.0], [0.0]])
with tf.GradientTape() as tape:
    rows = tf.nn.embedding_lookup(table, [0, 0, 0, 1])
    loss = tf.reduce_sum(rows)
gradient = tape.gradient(loss, table)
dense = tf.convert_to_tensor(gradient)
print("dense:", dense.numpy().ravel())
for name, norm in (("tf.linalg.global_norm", tf.linalg.global_norm),
                   ("tf.norm", lambda each: tf.norm(each[0]))):
    print(f"{name}: slices {norm([gradient]):.4f}, dense {norm([dense]):.4f}")
clipped = tf.convert_to_tensor(tf.clip_by_global_norm([gradient], 1.0)[0][0])
print(f"clipped to the norm 1: {tf.norm(clipped):.4f}")
