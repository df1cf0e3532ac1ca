"""The whole Jacobian, by rows and by columns: how many passes each takes."""

import tensorflow as tf


def by_rows(f, x):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
    return tf.stack([tape.gradient(y, x, output_gradients=row)
                     for row in tf.eye(len(y))])


def by_columns(f, x):
    columns = []
    for dx in tf.eye(len(x)):
        with tf.autodiff.ForwardAccumulator(x, dx) as forward:
            y = f(x)
        columns.append(forward.jvp(y))
    return tf.stack(columns, axis=1)


W = tf.random.stateless_normal([50, 50], seed=(0, 1))
for name, f, x in [
        ("50 -> 1 ", lambda x: tf.reduce_sum(tf.sin(x), keepdims=True), W[0]),
        (" 1 -> 50", lambda x: tf.sin(W[0] * x), tf.constant([2.0])),
        ("50 -> 50", lambda x: tf.sin(tf.linalg.matvec(W, x)), W[0])]:
    rows, columns = by_rows(f, x), by_columns(f, x)
    same = tf.reduce_max(abs(rows - columns)) < 1e-5
    print(f"{name}  VJPs: {rows.shape[0]:2}  JVPs: {columns.shape[1]:2}"
          f"  the same Jacobian: {bool(same)}")
