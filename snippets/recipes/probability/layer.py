"""A Bayesian layer for Keras 3, trained by fit and in a loop."""

import keras
import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

tfd = tfp.distributions


class BayesianDense(keras.layers.Layer):
    """A dense layer with a normal prior and posterior for each weight."""

    def __init__(self, units, examples, **kwargs):
        super().__init__(**kwargs)
        self.units, self.examples = units, examples
        self.seed = keras.random.SeedGenerator(0)

    def build(self, shape):
        shape = [shape[-1], self.units]
        self.loc = self.add_weight(shape=shape, initializer="zeros")
        self.log_scale = self.add_weight(
            shape=shape, initializer=keras.initializers.Constant(-3.0))

    def call(self, x, training=False):
        q = tfd.Normal(self.loc, tf.exp(self.log_scale))  # not in build
        kl = tfd.kl_divergence(q, tfd.Normal(tf.zeros_like(q.loc), 1.0))
        self.add_loss(tf.reduce_sum(kl) / self.examples)
        if training:
            return x @ q.sample(seed=tf.cast(self.seed.next(), tf.int32))
        return x @ q.loc


def make():
    model = keras.Sequential([
        keras.Input([2]), BayesianDense(1, len(x), dtype="float32")])
    rate = keras.optimizers.schedules.CosineDecay(0.05, 400)
    model.compile(
        keras.optimizers.Adam(rate, beta_2=0.95),
        lambda y, f: -tfd.Normal(f, 0.5).log_prob(y))
    return model


rng = np.random.default_rng(0)
x = rng.standard_normal([512, 2]).astype("float32")
y = x @ [[1.0], [-2.0]] + 0.5 * rng.standard_normal([512, 1])
y = y.astype("float32")
by_fit, by_loop = make(), make()
by_fit.fit(x, y, batch_size=128, epochs=100, shuffle=False, verbose=0)


@tf.function
def step(x, y):
    weights = by_loop.trainable_variables
    with tf.GradientTape() as tape:
        loss = by_loop.compute_loss(x, y, by_loop(x, training=True))
    by_loop.optimizer.apply(tape.gradient(loss, weights), weights)


for _ in range(100):
    for i in range(0, 512, 128):
        step(x[i:i + 128], y[i:i + 128])

precision = x.T @ x / 0.5**2 + np.eye(2)  # of the exact posterior
exact = [np.linalg.solve(precision, x.T @ y / 0.5**2),
         -np.log(np.diag(precision)) / 2.0]
for name, (loc, log_scale, *_) in [
        ("fit", by_fit.get_weights()), ("loop", by_loop.get_weights()),
        ("exact", exact)]:
    loc, scale = loc.ravel(), np.exp(log_scale.ravel())
    print(f"{name:5} mean", np.round(loc, 2), " deviation", scale.round(3))
