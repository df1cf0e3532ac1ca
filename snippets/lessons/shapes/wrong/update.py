"""Deliberately wrong: gradients that some optimizers accept."""

import tensorflow as tf


@tf.custom_gradient
def column(x):
    def grad(upstream):
        return 2.0 * upstream[:, tf.newaxis]

    return 2.0 * tf.reduce_sum(x, axis=1), grad


@tf.custom_gradient
def float64(x):
    def grad(upstream):
        downstream = 2.0 * upstream[:, tf.newaxis] * tf.ones_like(x)
        return tf.cast(downstream, tf.float64)

    return 2.0 * tf.reduce_sum(x, axis=1), grad


OPTIMIZERS = {
    "SGD": lambda: tf.keras.optimizers.SGD(0.1),
    "Adagrad": lambda: tf.keras.optimizers.Adagrad(0.1),
    "momentum": lambda: tf.keras.optimizers.SGD(0.1, momentum=0.9),
    "RMSprop": lambda: tf.keras.optimizers.RMSprop(0.1),
    "Adam": lambda: tf.keras.optimizers.Adam(0.1),
}


def verdict(optimizer, function):
    x = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = function(x)
    gradient = tape.gradient(y, x)
    try:
        optimizer.apply([gradient], [x])
    except tf.errors.InvalidArgumentError:
        return "refused"
    return "accepted"


print(f"{'':8}    [2, 1]   float64")
for name, optimizer in OPTIMIZERS.items():
    print(f"{name:8}  {verdict(optimizer(), column):>8}"
          f"  {verdict(optimizer(), float64):>8}")
