"""Residual quantization: each codebook quantizes what is left over."""

import keras
import tensorflow as tf

stop = tf.stop_gradient


class ResidualQuantizer(keras.layers.Layer):
    def __init__(self, stages, codes, beta=0.25, dtype="float32", **kwargs):
        super().__init__(dtype=dtype, **kwargs)
        self.stages, self.codes, self.beta = stages, codes, beta

    def build(self, shape):
        self.codebooks = [
            self.add_weight([self.codes, shape[-1]], "random_normal")
            for _ in range(self.stages)]

    def call(self, z):
        rest, total = z, tf.zeros_like(z)
        for codebook in self.codebooks:
            E = tf.convert_to_tensor(codebook)
            d = tf.reduce_sum(E * E, 1)
            d -= 2.0 * tf.matmul(rest, E, transpose_b=True)
            e = tf.gather(E, tf.argmin(d, -1))
            self.add_loss(tf.reduce_mean((stop(rest) - e) ** 2))
            self.add_loss(self.beta * tf.reduce_mean((rest - stop(e)) ** 2))
            rest -= stop(e)
            total += stop(e)
        return total + (z - stop(z))  # straight through, once

    def get_config(self):
        return super().get_config() | {
            "stages": self.stages, "codes": self.codes, "beta": self.beta}


def train(stages, codes):
    keras.utils.set_random_seed(0)
    layer = ResidualQuantizer(stages, codes)
    model = keras.Sequential([keras.Input([4]), layer])
    model.compile(keras.optimizers.Adam(0.02), "mse")
    model.fit(x, x, batch_size=256, epochs=50, shuffle=False, verbose=0)
    return model, layer


x = tf.random.stateless_normal([1024, 4], seed=[1, 2])
for stages, codes in (1, 24), (3, 8):
    model, layer = train(stages, codes)
    error = tf.reduce_mean((model(x) - x) ** 2)
    print(f"{stages} x {codes:2} codes: error {error:.2f}")

with tf.GradientTape() as tape:
    tape.watch(x)
    q = layer(x)
print("gradient of the sum:", tape.gradient(q, x)[0].numpy())
