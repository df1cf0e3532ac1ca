"""Two tables in a tuple, an integer input, a list of two outputs."""

import tensorflow as tf


@tf.custom_gradient
def rows(tables, index):
    def grad(*upstreams):
        print("upstreams:", len(upstreams))
        downstream = tuple(
            tf.math.unsorted_segment_sum(upstream, index, tf.shape(table)[0])
            for upstream, table in zip(upstreams, tables))
        return downstream, None

    return [tf.gather(table, index) for table in tables], grad


def plain(tables, index):
    return [tf.gather(table, index) for table in tables]


tables = (tf.constant([1.0, 2.0, 3.0]), tf.constant([[1.0, 2.0], [3.0, 4.0]]))
index = tf.constant([1, 0, 1])
for function in rows, plain:
    with tf.GradientTape() as tape:
        tape.watch(tables)
        a, b = function(tables, index)
        loss = tf.reduce_sum(a * [1.0, 10.0, 100.0]) + tf.reduce_sum(b * b)
    (da, db), none = tape.gradient(loss, (tables, index))
    db = tf.convert_to_tensor(db)  # from tf.gather it may be IndexedSlices
    print(function.__name__, "gradients:", tf.convert_to_tensor(da).numpy(),
          db.numpy().tolist(), none)
