"""One custom gradient in each place, against central differences."""

import tensorflow as tf


# truth: x.shape == y.shape
@tf.custom_gradient
def product(x, y):
    def grad(upstream):
        return upstream * tf.sin(y), upstream * x * tf.cos(y)

    return x * tf.sin(y), grad


def loss(x, y):
    return tf.reduce_sum(product(x, y) ** 2)


def taped(function):
    def gradients(x, y):
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = function(x, y)
        return tape.gradient(z, [x, y])

    return gradients


def differences(x, y, h=1e-6):
    moved = h * tf.eye(2, dtype=x.dtype)
    return ([(loss(x + d, y) - loss(x - d, y)) / (2 * h) for d in moved],
            [(loss(x, y + d) - loss(x, y - d)) / (2 * h) for d in moved])


places = {
    "differences": differences,
    "eager": taped(loss),
    "tape inside": tf.function(taped(loss)),
    "tape outside": taped(tf.function(loss)),
    "nested": tf.function(taped(tf.function(loss))),
    "XLA": tf.function(taped(loss), jit_compile=True),
    "outside XLA": taped(tf.function(loss, jit_compile=True)),
    "tf.gradients": tf.function(lambda x, y: tf.gradients(loss(x, y), [x, y])),
}
x = tf.constant([0.5, -2.0], tf.float64)
y = tf.constant([1.0, -0.7], tf.float64)
for place, run in places.items():
    by_x, by_y = (tf.stack(each).numpy() for each in run(x, y))
    print(f"{place:12}  downstream_x {by_x.round(6)}"
          f"  downstream_y {by_y.round(6)}")
