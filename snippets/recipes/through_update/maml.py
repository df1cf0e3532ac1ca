"""MAML: learn weights from which one step of SGD fits a new sine."""

import keras
import tensorflow as tf

loss_of = keras.losses.mean_squared_error  # of the inner step, too


class MAML(keras.Model):
    """Predicts after a step on the examples (x, y) of each task."""

    def __init__(self, network):
        super().__init__(dtype="float32")  # the network may differ
        self.network = network
        self.rate = self.add_weight(  # is learned, too
            shape=(), initializer=keras.initializers.Constant(0.1))

    def step(self, weights, state, x, y):
        with tf.GradientTape() as tape:
            tape.watch(weights)
            z, _ = self.network.stateless_call(
                weights, state, x, training=True)
            loss = tf.reduce_mean(loss_of(y, tf.cast(z, tf.float32)))
        return [
            w - self.rate * tf.convert_to_tensor(gradient)
            for w, gradient in zip(weights, tape.gradient(loss, weights))]

    def one_task(self, task):
        x, y, query = task
        weights, state = [[tf.convert_to_tensor(v) for v in variables]
                          for variables in (
                              self.network.trainable_variables,
                              self.network.non_trainable_variables)]
        weights = self.step(weights, state, x, y)
        z, _ = self.network.stateless_call(
            weights, state, query, training=True)
        return tf.cast(z, tf.float32)

    def call(self, tasks):
        return tf.map_fn(
            self.one_task, tasks, fn_output_signature=tf.float32)


def sines(count, seed):
    height, phase = tf.random.stateless_uniform(
        [2, count, 1, 1], [seed, 0], [[[[0.5]]], [[[0.0]]]],
        [[[[2.0]]], [[[3.0]]]])
    x = tf.random.stateless_uniform([count, 20, 1], [seed, 1], -3.0, 3.0)
    y = height * tf.sin(x + phase)
    return (x[:, :10], y[:, :10], x[:, 10:]), y[:, 10:]


def build():
    keras.utils.set_random_seed(0)
    model = MAML(keras.Sequential([
        keras.Input([1]), keras.layers.Dense(32, "tanh"),
        keras.layers.Dense(32, "tanh"), keras.layers.Dense(1)]))
    model.compile(keras.optimizers.Adam(0.01), loss_of)
    return model


def report(name, model):
    error = model.evaluate(*sines(128, 2), verbose=0)
    print(f"{name:12} error {error:.2f}  rate {model.rate.numpy():.2f}")


data = tf.data.Dataset.from_tensor_slices(sines(400, 1)).batch(16)
model = build()
report("untrained", model)
model.fit(data, epochs=4, shuffle=False, verbose=0)
report("fit", model)

model = build()


@tf.function
def train(tasks, targets):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(
            loss_of(targets, model(tasks, training=True)))
    weights = model.trainable_variables
    model.optimizer.apply_gradients(
        zip(tape.gradient(loss, weights), weights))


for batch in data.repeat(4):
    train(*batch)
report("a loop", model)
model.rate.assign(0.0)
report("no step", model)
