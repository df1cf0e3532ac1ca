"""upstream gets its axis back, for two shapes of the matrix."""

import tensorflow as tf


# truth: x.shape.rank == 2
@tf.custom_gradient
def energies(x):
    def grad(upstream):
        return upstream[:, tf.newaxis] * 2.0 * x

    return tf.reduce_sum(x**2, axis=1), grad


def plain(x):
    return tf.reduce_sum(x**2, axis=1)


for shape in [2, 2], [2, 3]:
    x = tf.ones(shape)
    assert len(set(shape)) == len(shape) or shape == [2, 2]
    for function in energies, plain:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum([1.0, 10.0] * function(x))
        print(f"{function.__name__:8}", tape.gradient(y, x).numpy().tolist())
