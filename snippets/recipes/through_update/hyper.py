"""A hypernetwork: one network computes the weights of another."""

import math

import keras
import tensorflow as tf


class Hyper(keras.Model):
    def __init__(self, target):
        super().__init__(dtype="float32")  # the target may differ
        self.generated = [v.trainable for v in target.variables]
        self.sizes = [
            math.prod(v.shape) for v in target.trainable_variables]
        target.trainable = False  # gives only the shapes
        self.target = target
        self.hidden = keras.layers.Dense(32, "tanh")
        self.generate = keras.layers.Dense(
            sum(self.sizes),
            kernel_initializer=keras.initializers.RandomNormal(0.0, 0.1))

    def one_task(self, inputs):
        row, x = inputs
        parts = iter(tf.split(row, self.sizes))
        weights = [
            tf.reshape(next(parts), v.shape) if generated else v.value
            for v, generated in zip(self.target.variables, self.generated)]
        z, _ = self.target.stateless_call([], weights, x)
        return tf.cast(z, tf.float32)

    def call(self, inputs):
        task, x = inputs
        rows = self.generate(self.hidden(task))
        return tf.map_fn(
            self.one_task, (rows, x), fn_output_signature=tf.float32)


def sines(count, seed):
    task = tf.random.stateless_uniform([count, 2], [seed, 0], 0.5, 2.0)
    x = tf.random.stateless_uniform([count, 10, 1], [seed, 1], -3.0, 3.0)
    return (task, x), task[:, None, :1] * tf.sin(x + task[:, None, 1:])


def build():
    keras.utils.set_random_seed(0)
    model = Hyper(keras.Sequential([
        keras.Input([1]), keras.layers.Dense(8, "tanh"),
        keras.layers.Dense(8, "tanh"), keras.layers.Dense(1)]))
    model.compile(keras.optimizers.Adam(0.01), "mse")
    return model


data = tf.data.Dataset.from_tensor_slices(sines(400, 1)).batch(16)
new, answers = sines(128, 2)

model = build()
model.fit(data, epochs=5, shuffle=False, verbose=0)
print(f"fit     {model.evaluate(new, answers, verbose=0):.2f}")

model = build()


@tf.function
def loss_and_gradients(inputs, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(inputs) - y))
    return loss, tape.gradient(loss, model.trainable_variables)


for batch in data.repeat(5):
    _, gradients = loss_and_gradients(*batch)
    model.optimizer.apply_gradients(
        zip(gradients, model.trainable_variables))
loss, gradients = loss_and_gradients(new, answers)
print(f"a loop  {loss:.2f}")

kernel = model.hidden.kernel
start, h = kernel.numpy(), 0.001 * tf.sign(gradients[0])
kernel.assign(start + h)
up, _ = loss_and_gradients(new, answers)
kernel.assign(start - h)
down, _ = loss_and_gradients(new, answers)
print(f"differences {(up - down) / 0.002:.2f}"
      f"  tape {tf.reduce_sum(abs(gradients[0])):.2f}")
