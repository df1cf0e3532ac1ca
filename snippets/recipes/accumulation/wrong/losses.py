"""Deliberately wrong: train_step adds up losses instead of gradients."""

import keras
import tensorflow as tf

x = tf.random.stateless_normal([32, 3], seed=[1, 2])
y = x @ [[1.0], [-2.0], [0.5]]


class Summed(keras.Sequential):
    n, total = 0, 0.0

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(x, y, self(x, training=True))
            self.n, self.total = self.n + 1, self.total + loss
            mean = self.total / 4.0
        if self.n == 4:
            weights = self.trainable_variables
            self.optimizer.apply(tape.gradient(mean, weights), weights)
            self.n, self.total = 0, 0.0
        return {"loss": loss}


def train(name, kind, examples=32, rate=0.1, steps=None, eagerly=False):
    keras.utils.set_random_seed(0)
    model = kind([keras.Input([3]), keras.layers.Dense(1)])
    sgd = keras.optimizers.SGD(rate, gradient_accumulation_steps=steps)
    model.compile(sgd, "mse", run_eagerly=eagerly)
    before = model.layers[0].kernel.numpy()
    model.fit(
        x[-examples:], y[-examples:], batch_size=8, shuffle=False, verbose=0)
    moved = model.layers[0].kernel.numpy() - before
    print(f"{name:20}", moved[:, 0].round(4) + 0.0)


train("right", keras.Sequential, steps=4)
train("run_eagerly=True", Summed, eagerly=True)
train("only the last batch", keras.Sequential, 8, rate=0.1 / 4)
train("in the graph of fit", Summed)
