"""The Gauss-Newton product: push a direction forward, send the result back."""

import tensorflow as tf

W = tf.constant([[1.0, 2.0], [0.5, -1.0], [2.0, 0.0]], tf.float64)


@tf.custom_gradient
def cubes(x):
    s = tf.linalg.matvec(W, x)

    def grad(upstream):
        return tf.linalg.matvec(W, upstream * 3.0 * s ** 2.0, True)

    return s ** 3.0, grad


def product(x, v):
    with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = cubes(x)
    dy = accumulator.jvp(y)
    return dy, tape.gradient(y, x, output_gradients=dy)


def matrices(x, t):
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = cubes(x)
            L = 0.5 * tf.reduce_sum((y - t) ** 2.0)
        g = inner.gradient(L, x)
    J = outer.jacobian(y, x)
    return tf.matmul(J, J, transpose_a=True), outer.jacobian(g, x)


x, v = (tf.constant(each, tf.float64) for each in ([1.0, 0.5], [1.0, -1.0]))
dy, Gv = product(x, v)
print("forward =", dy.numpy(), " back =", Gv.numpy())
for name, t in (("far", [30.0, 2.0, 1.0]), ("fitted", cubes(x))):
    G, H = matrices(x, tf.convert_to_tensor(t, tf.float64))
    print(f"{name:6}  G v = {tf.linalg.matvec(G, v).numpy()}"
          f"  H v = {tf.linalg.matvec(H, v).numpy()}"
          f"  eigenvalues of H = {tf.linalg.eigvalsh(H).numpy().round(2)}")
