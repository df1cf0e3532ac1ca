"""Four small batches, one step: in a loop of your own, and in fit."""

import keras
import tensorflow as tf

STEPS = 4
x = tf.random.stateless_normal([32, 3], seed=[1, 2])
y = x @ [[1.0], [-2.0], [0.5]]
batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(8)


def build():
    keras.utils.set_random_seed(0)
    return keras.Sequential([keras.Input([3]), keras.layers.Dense(1)])


class Accumulator:
    """Sums gradients; every STEPS batches the optimizer gets their mean."""

    def __init__(self, model, optimizer):
        self.model, self.optimizer = model, optimizer
        optimizer.build(model.trainable_variables)
        self.sums = [
            tf.Variable(tf.zeros_like(w), trainable=False)
            for w in model.trainable_variables]

    @tf.function
    def add(self, x, y):
        with tf.GradientTape() as tape:
            errors = self.model(x, training=True) - y
            loss = tf.reduce_mean(tf.square(errors))
        weights = self.model.trainable_variables
        gradients = tape.gradient(loss, weights)
        for total, gradient in zip(self.sums, gradients):
            total.assign_add(gradient)

    @tf.function
    def apply(self):
        mean = [total / STEPS for total in self.sums]
        mean, _ = tf.clip_by_global_norm(mean, 1.0)  # of the sum, once
        weights = self.model.trainable_variables
        self.optimizer.apply_gradients(zip(mean, weights))
        for total in self.sums:
            total.assign(tf.zeros_like(total))


def report(name, model):
    print(f"{name:18}", model.layers[0].kernel[:, 0].numpy())


whole = build()
whole.compile(keras.optimizers.Adam(0.1, global_clipnorm=1.0), "mse")
whole.fit(x, y, batch_size=32, epochs=3, verbose=0)
report("one large batch", whole)

model = build()
accumulator = Accumulator(model, keras.optimizers.Adam(0.1))
for number, batch in enumerate(batches.repeat(3), 1):
    accumulator.add(*batch)
    if number % STEPS == 0:
        accumulator.apply()
report("a loop", model)

model = build()
adam = keras.optimizers.Adam(
    0.1, global_clipnorm=1.0, gradient_accumulation_steps=STEPS)
model.compile(adam, "mse")
model.fit(batches, epochs=3, shuffle=False, verbose=0)
report("fit", model)
