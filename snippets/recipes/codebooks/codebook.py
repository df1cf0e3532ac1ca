"""A codebook between encoder and decoder, in fit and in a loop."""

import keras
import tensorflow as tf

stop = tf.stop_gradient


class Usage(keras.metrics.Metric):
    """The perplexity of the codes that were chosen since the last reset."""

    def __init__(self, codes, name="usage"):
        super().__init__(name=name)
        self.counts = self.add_variable([codes], "zeros", name="counts")

    def update_state(self, k):
        ones = tf.one_hot(tf.reshape(k, [-1]), self.counts.shape[0])
        self.counts.assign(self.counts + tf.reduce_sum(ones, 0))

    def result(self):
        p = self.counts / tf.reduce_sum(self.counts)
        return tf.exp(-tf.reduce_sum(tf.math.xlogy(p, p)))


class Quantizer(keras.layers.Layer):
    """Replaces each vector on the last axis with the nearest code."""

    def __init__(self, codes, beta=0.25, dtype="float32", **kwargs):
        super().__init__(dtype=dtype, **kwargs)
        self.codes, self.beta = codes, beta
        self.usage = Usage(codes, f"{self.name}_usage")

    def build(self, shape):
        self.codebook = self.add_weight(
            shape=[self.codes, shape[-1]], initializer="random_normal")

    def call(self, z):
        E = tf.convert_to_tensor(self.codebook)
        d = tf.reduce_sum(E * E, 1) - 2.0 * tf.matmul(z, E, transpose_b=True)
        k = tf.argmin(d, -1)  # the square of z is the same for all codes
        self.usage.update_state(k)
        e = tf.gather(E, k)
        self.add_loss(tf.reduce_mean((stop(z) - e) ** 2))
        self.add_loss(self.beta * tf.reduce_mean((z - stop(e)) ** 2))
        return stop(e) + (z - stop(z))  # the value of e, the gradient of z

    def get_config(self):
        return super().get_config() | {"codes": self.codes, "beta": self.beta}


def build():
    keras.utils.set_random_seed(0)
    Dense = keras.layers.Dense
    return keras.Sequential([
        keras.Input([8]), Dense(32, "relu"), Dense(4), Quantizer(16),
        Dense(32, "relu"), Dense(8)])


def report(name, model):
    usage = model.layers[2].usage
    usage.reset_state()
    error = tf.reduce_mean((model(x) - x) ** 2)
    print(f"{name}: error {error:.3f}, {usage.result():.1f} of 16 codes")


centers = tf.random.stateless_normal([16, 8], seed=[1, 2])
noise = 0.1 * tf.random.stateless_normal([512, 8], seed=[3, 4])
x = tf.tile(centers, [32, 1]) + noise

model = build()
model.compile(keras.optimizers.Adam(0.01), "mse")
model.fit(x, x, batch_size=64, epochs=30, shuffle=False, verbose=0)
report("fit ", model)

model = build()
optimizer = keras.optimizers.Adam(0.01)


@tf.function
def step(batch):
    with tf.GradientTape() as tape:
        errors = model(batch, training=True) - batch
        loss = tf.reduce_mean(errors ** 2) + sum(model.losses)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))


for batch in tf.data.Dataset.from_tensor_slices(x).batch(64).repeat(30):
    step(batch)
report("loop", model)
