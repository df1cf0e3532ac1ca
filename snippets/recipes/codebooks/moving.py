"""A codebook of moving averages that restarts dead codes."""

import keras
import numpy as np
import tensorflow as tf

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(
    cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
devices = tf.config.list_logical_devices("CPU")
stop = tf.stop_gradient


class Quantizer(keras.layers.Layer):
    def __init__(
        self, codes, beta=0.25, decay=0.9, least=0.1, dtype="float32", **kwargs
    ):
        super().__init__(dtype=dtype, **kwargs)
        self.codes, self.beta = codes, beta
        self.decay, self.least = decay, least
        self.seed = keras.random.SeedGenerator(0)

    def build(self, shape):
        add = {"trainable": False, "aggregation": "only_first_replica"}
        size = [self.codes, shape[-1]]
        self.codebook = self.add_weight(size, "random_normal", **add)
        self.counts = self.add_weight([self.codes], "ones", **add)
        self.sums = self.add_weight(size, "zeros", **add)
        self.sums.assign(self.codebook)

    def call(self, z, training=False):
        E = tf.convert_to_tensor(self.codebook)
        d = tf.reduce_sum(E * E, 1) - 2.0 * tf.matmul(z, E, transpose_b=True)
        k = tf.argmin(d, -1)
        e = tf.gather(E, k)
        if training and self.trainable:
            vectors = tf.reshape(stop(z), [-1, z.shape[-1]])
            self.update(vectors, tf.reshape(k, [-1]))
        self.add_loss(self.beta * tf.reduce_mean((z - e) ** 2))
        return e + (z - stop(z))

    def update(self, z, k):
        ones = tf.one_hot(k, self.codes)
        new = [tf.reduce_sum(ones, 0), tf.matmul(ones, z, transpose_a=True)]
        replica = tf.distribute.get_replica_context()
        n, s = replica.all_reduce("SUM", new)  # of the whole batch
        n = self.decay * self.counts + (1.0 - self.decay) * n
        s = self.decay * self.sums + (1.0 - self.decay) * s
        mean = tf.reduce_mean(n)
        dead = n < self.least * mean
        rows = keras.random.randint(
            [self.codes], 0, tf.shape(z)[0], seed=self.seed)
        n = tf.where(dead, mean, n)
        s = tf.where(dead[:, None], mean * tf.gather(z, rows), s)
        self.counts.assign(n)
        self.sums.assign(s)
        self.codebook.assign(s / n[:, None])

    def get_config(self):
        names = "codes", "beta", "decay", "least"
        return super().get_config() | {n: getattr(self, n) for n in names}


def train(name, least):
    keras.utils.set_random_seed(0)
    Dense = keras.layers.Dense
    model = keras.Sequential([
        keras.Input([8]), Dense(32, "relu"), Dense(4),
        Quantizer(16, least=least), Dense(32, "relu"),
        Dense(8, dtype="float32")])
    model.compile(keras.optimizers.Adam(0.01), "mse")
    model.fit(epochs, epochs, batch_size=64, shuffle=False, verbose=0)
    error = tf.reduce_mean((model(x) - x) ** 2)
    used = np.unique(keras.Sequential(model.layers[:3])(x), axis=0)
    print(f"{name}: error {error:.3f}, {len(used)} codes in use")


centers = tf.random.stateless_normal([16, 8], seed=[1, 2])
noise = 0.1 * tf.random.stateless_normal([512, 8], seed=[3, 4])
x = tf.tile(centers, [32, 1]) + noise
epochs = tf.tile(x, [20, 1])  # faster than epochs=20
train("no restart    ", 0.0)
with tf.distribute.MirroredStrategy(devices).scope():
    train("two replicas  ", 0.0)
    keras.config.set_dtype_policy("mixed_float16")
    train("mixed, restart", 0.1)
