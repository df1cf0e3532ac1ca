"""The gradient of a determinant at singular matrices."""

import numpy as np
import tensorflow as tf


def slope(function, a):
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = function(a)
    return tape.gradient(y, a).numpy().tolist()


def by_products(a):
    return sum(a[0, i] * (a[1, j] * a[2, k] - a[1, k] * a[2, j])
               for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)))


for rows in ([[1, 1, -3], [-1, 0, 2], [2, -3, -1]],
             [[-3, 2, 3], [1, -1, -3], [-1, 0, -3]],
             [[1, 2, 3], [4, 5, 6], [7, 8, 9]]):
    a = tf.constant(np.float32(rows))
    for name, function in ("det", tf.linalg.det), ("products", by_products):
        try:
            shown = [f"{each:.3g}" for each in slope(function, a)[0]]
        except tf.errors.InvalidArgumentError as error:
            shown = [type(error).__name__]
        print(f"{rows}  {name:8}", *shown)
