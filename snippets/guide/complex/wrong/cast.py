"""Deliberately wrong: the imaginary part is dropped before the loss."""

import tensorflow as tf

target = tf.constant(2 + 1j, tf.complex128)
losses = {
    "cast": lambda z: tf.cast(z - target, tf.float64) ** 2,
    "Re, then square": lambda z: tf.math.real(z - target) ** 2,
    "square, then Re": lambda z: tf.math.real((z - target) ** 2),
    "squared modulus": lambda z: tf.abs(z - target) ** 2,
}
for name, loss in losses.items():
    z = tf.Variable(0.5 + 0.5j, dtype=tf.complex128)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            L = loss(z)
        gradient = tape.gradient(L, z)
        z.assign_sub(0.1 * gradient)
        return L, gradient

    trace = [step() for _ in range(41)]
    print(f"{name}: first gradient {trace[0][1].numpy():.1f},"
          f" then z {z.numpy():.3f} and L {trace[-1][0].numpy():.2f}")
