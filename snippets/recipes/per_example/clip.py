"""DP-SGD: clip the gradient of each example, in fit and in a loop."""

import keras
import tensorflow as tf

LIMIT, SIGMA, BATCH, SEED = 1.0, 0.5, 8, 7  # SEED: secret in real use
loss_of = keras.losses.mean_squared_error  # one loss for each example


class PrivateModel(keras.Model):
    def one(self, example):
        x, y = tf.nest.map_structure(lambda t: t[None], example)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(loss_of(y, self(x, training=True)))
        gradients = tape.gradient(loss, self.trainable_variables)
        gradients = [tf.convert_to_tensor(g) for g in gradients]
        squares = [tf.reduce_sum(gradient**2) for gradient in gradients]
        return gradients, tf.sqrt(tf.add_n(squares)), loss  # of all weights

    def clipped_sums(self, batch):
        gradients, norms, losses = tf.vectorized_map(self.one, batch)
        factors = LIMIT / tf.maximum(norms, LIMIT)  # at most 1
        sums = [tf.tensordot(factors, g, 1) for g in gradients]
        return sums, losses

    def train_step(self, batch):
        sums, losses = self.clipped_sums(batch)
        step = tf.cast(self.optimizer.iterations, tf.int64)
        gradients = []
        for number, total in enumerate(sums):
            noise = tf.random.stateless_normal(
                total.shape, [SEED + number, step], stddev=SIGMA * LIMIT)
            gradients.append((total + noise) / BATCH)  # not len(losses)
        self.optimizer.apply(gradients, self.trainable_variables)
        return {"batch_loss": tf.reduce_mean(losses)}


def build():
    keras.utils.set_random_seed(0)
    x = keras.Input([3])
    hidden = keras.layers.Dense(4, activation="tanh")(x)
    model = PrivateModel(x, keras.layers.Dense(1)(hidden))
    model.compile(keras.optimizers.Adam(0.1), loss_of)
    model.optimizer.build(model.trainable_variables)
    return model


x = tf.random.stateless_normal([20, 3], seed=[1, 2])
y = x @ [[1.0], [-2.0], [0.5]]
batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH)

model, sums = build(), 0.0
for i in range(BATCH):  # one example after the other
    with tf.GradientTape() as tape:
        loss = tf.square(model(x[i:i + 1]) - y[i:i + 1])
    gradients = tape.gradient(loss, model.trainable_variables)
    clipped, norm = tf.clip_by_global_norm(gradients, LIMIT)
    sums += clipped[0]
print("last norm, and one row of the sum, one example after the other:")
print(f"{norm:.3f}", sums[0].numpy().round(4))
mapped, _ = model.clipped_sums((x[:BATCH], y[:BATCH]))
print("vectorized:", mapped[0][0].numpy().round(4))

model.fit(batches, epochs=2, shuffle=False, verbose=0)
print("fit:       ", model.layers[-1].kernel[:, 0].numpy().round(4))
model = build()
step = tf.function(model.train_step)
for batch in batches.repeat(2):
    step(batch)
print("a loop:    ", model.layers[-1].kernel[:, 0].numpy().round(4))
