"""Solution: gradient descent and Adam, from two starting points."""
# tracebook: rel=1e-3

import tensorflow as tf


# truth: the gradient of tf.sigmoid
@tf.custom_gradient
def sign(x):
    def grad(upstream):
        s = tf.sigmoid(x)
        return upstream * s * (1.0 - s)

    return tf.sign(x), grad


def train(optimizer, start):
    x, path = tf.Variable(start), []
    for _ in range(200):
        with tf.GradientTape() as tape:
            loss = 0.5 * (sign(x) - 1.0) ** 2
        optimizer.apply([tape.gradient(loss, x)], [x])
        path.append(x.numpy())
    crossed = sum(value <= 0 for value in path) + 1
    return path[0] - start, crossed, path[-1]


for start in (-1.0, -3.0):
    for make in (tf.keras.optimizers.SGD, tf.keras.optimizers.Adam):
        first, crossed, rest = train(make(learning_rate=0.1), start)
        print(f"{make.__name__:4} from {start}: first step {first:.6f},"
              f" x > 0 after {crossed:3} steps, rests at {rest:.6f}")
