"""Clip a list of rows, with and without adding the rows of one index first."""

import keras
import tensorflow as tf


def added(rows):
    indices, place = tf.unique(rows.indices)
    values = tf.math.unsorted_segment_sum(
        rows.values, place, tf.size(indices))
    return tf.IndexedSlices(values, indices, rows.dense_shape)


def step(gradient, **clip):
    W = keras.Variable(tf.zeros([3, 1]))
    keras.optimizers.SGD(1.0, **clip).apply([gradient], [W])
    return W


rows = tf.IndexedSlices(tf.ones([4, 1]), tf.constant([0, 0, 0, 1]),
                        tf.constant([3, 1]))
print("added:", added(rows).values.numpy().ravel(),
      "at", added(rows).indices.numpy())
for name, clip in {
        "tf.clip_by_norm": lambda g: tf.clip_by_norm(g, 1.0),
        "tf.clip_by_global_norm":
            lambda g: tf.clip_by_global_norm([g], 1.0)[0][0],
        "keras clipnorm": lambda g: step(g, clipnorm=1.0),
        "keras global_clipnorm": lambda g: step(g, global_clipnorm=1.0)
        }.items():
    norms = [tf.norm(tf.convert_to_tensor(clip(each)))
             for each in (rows, tf.function(added)(rows),
                          tf.convert_to_tensor(rows))]
    print(f"{name:22}  as it is {norms[0]:.4f}  added {norms[1]:.4f}"
          f"  dense {norms[2]:.4f}")
