"""A Hessian times a vector without the Hessian, with three methods."""

import tensorflow as tf

W = tf.constant([[1.0, 2.0], [0.5, -1.0], [2.0, 0.0]], tf.float64)
t = tf.constant([30.0, 2.0, 1.0], tf.float64)


@tf.custom_gradient
def cubes(x):
    s = tf.linalg.matvec(W, x)

    def grad(upstream):
        return tf.linalg.matvec(W, upstream * 3.0 * s ** 2.0, True)

    return s ** 3.0, grad


def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        L = 0.5 * tf.reduce_sum((cubes(x) - t) ** 2.0)
    return tape.gradient(L, x)


def hessian(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        g = gradient(x)
    return tape.jacobian(g, x)


def reverse_over_reverse(x, v):
    with tf.GradientTape() as tape:
        tape.watch(x)
        g = gradient(x)
    return tape.gradient(g, x, output_gradients=v)


def forward_over_reverse(x, v):
    with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
        g = gradient(x)
    return accumulator.jvp(g)


def differences(x, v, h=1e-6):
    return (gradient(x + h * v) - gradient(x - h * v)) / (2.0 * h)


x, v = (tf.constant(each, tf.float64) for each in ([1.0, 0.5], [1.0, -1.0]))
print("Hessian =", hessian(x).numpy().tolist())
print("times v =", tf.linalg.matvec(hessian(x), v).numpy())
for product in reverse_over_reverse, forward_over_reverse:
    print(f"{product.__name__}  eager = {product(x, v).numpy()}"
          f"  tf.function = {tf.function(product)(x, v).numpy()}")
print("differences =", tf.round(1000.0 * differences(x, v)).numpy() / 1000)
