"""Are the gradients of a quantizer on the right tensors?"""

import keras
import tensorflow as tf

stop = tf.stop_gradient


class Quantizer(keras.layers.Layer):
    def __init__(self, codes, beta=0.25, **kwargs):
        super().__init__(**kwargs)
        self.codes, self.beta = codes, beta

    def build(self, shape):
        self.codebook = self.add_weight(
            shape=[self.codes, shape[-1]], initializer="random_normal")

    def call(self, z):
        E = tf.convert_to_tensor(self.codebook)
        d = tf.reduce_sum(E * E, 1) - 2.0 * tf.matmul(z, E, transpose_b=True)
        e = tf.gather(E, tf.argmin(d, -1))
        self.add_loss(tf.reduce_mean((stop(z) - e) ** 2))
        self.add_loss(self.beta * tf.reduce_mean((z - stop(e)) ** 2))
        return stop(e) + (z - stop(z))


def check(layer, z):
    """Prints 0, None, 1 + beta and 1 + 1 / beta if all are right."""

    def losses(change_z, change_E):
        before = tf.convert_to_tensor(E)
        E.assign(before + change_E)
        layer(z + change_z)
        E.assign(before)
        return sum(layer.losses)

    def ratio(gradient, u, v):  # finite difference / gradient
        slope = (losses(u, v) - losses(-u, -v)) / 2.0
        return (slope / tf.reduce_sum(gradient * (u + v))).numpy()

    layer(z)
    E = layer.trainable_variables[-1]
    upstream = tf.random.stateless_normal(z.shape, [1, 2], dtype=z.dtype)
    u = 1e-6 * tf.random.stateless_normal(z.shape, [3, 4], dtype=z.dtype)
    v = 1e-6 * tf.random.stateless_normal(E.shape, [5, 6], dtype=z.dtype)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(z)
        q = layer(z)
        L = sum(layer.losses)
    through = tape.gradient(q, z, output_gradients=upstream)
    print("upstream:", tf.reduce_max(abs(through - upstream)).numpy())
    print("output to codebook:", tape.gradient(q, E.value))
    to_E = tf.convert_to_tensor(tape.gradient(L, E.value))
    print(f"codebook: {ratio(to_E, 0.0, v):.3f}")
    print(f"input:    {ratio(tape.gradient(L, z), u, 0.0):.3f}")


keras.utils.set_random_seed(0)
z = tf.random.stateless_normal([32, 4], seed=[7, 8], dtype="float64")
check(Quantizer(8, beta=0.25, dtype="float64"), z)
