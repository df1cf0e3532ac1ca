"""One clipped gradient for each example: three methods, one result."""

import tensorflow as tf

X = tf.constant([[1.0, 2.0], [-3.0, 1.0], [0.5, 0.0]])
w = tf.constant([0.5, -1.0])


# truth: upstream becomes tf.clip_by_value(upstream, -1.0, 1.0)
@tf.custom_gradient
def clip(y):
    return tf.identity(y), lambda u: tf.clip_by_value(
        tf.convert_to_tensor(u), -1.0, 1.0)


def loss(x, w):
    return 0.5 * clip(tf.tensordot(x, w, 1)) ** 2.0


def one(x):
    with tf.GradientTape() as tape:
        tape.watch(w)
        y = loss(x, w)
    return tape.gradient(y, w)


def by_jacobian():
    with tf.GradientTape() as tape:
        tape.watch(w)
        y = loss(X, w)
    return tape.jacobian(y, w)


methods = {
    "tape in tf.vectorized_map": lambda: tf.vectorized_map(one, X),
    "tape in tf.map_fn": lambda: tf.map_fn(one, X),
    "tape.jacobian": by_jacobian,
}
print("upstream of each row =", tf.linalg.matvec(X, w).numpy().tolist())
for name, method in methods.items():
    print(f"{name:25} = {method().numpy().tolist()}")
