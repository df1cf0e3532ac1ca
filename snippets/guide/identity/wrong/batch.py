"""Deliberately wrong: one norm for the whole batch, and a mean above it."""

import tensorflow as tf


def make(axes):
    # truth: the rule is right; x.shape.rank == 2
    # truth: upstream becomes tf.clip_by_norm(upstream, 1.0, axes)
    # truth: dense upstream
    @tf.custom_gradient
    def clipped(x):
        def grad(upstream):
            return tf.clip_by_norm(upstream, 1.0, axes)

        return tf.identity(x), grad

    return clipped


def first_row(axes, total, rows):
    x = tf.constant([[0.6, 0.8]] + [[30.0, 40.0]] * (rows - 1))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = make(axes)(x)
        L = total(0.5 * tf.reduce_sum(y * y, axis=1))
    return tape.gradient(L, x).numpy()[0].round(5)


print("gradient of the row [0.6 0.8]")
print("rows  one norm, sum       one norm, mean"
      "      each row, sum  each row, mean")
for rows in (1, 2, 100):
    cells = [str(first_row(axes, total, rows)) for axes in (None, [1])
             for total in (tf.reduce_sum, tf.reduce_mean)]
    print(f"{rows:4}  {cells[0]:18}  {cells[1]:18}  {cells[2]:13}  {cells[3]}")
