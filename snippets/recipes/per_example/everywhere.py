"""DP-SGD on two replicas and in mixed precision, with the noise once."""

import keras
import tensorflow as tf

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(
    cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
two = tf.distribute.MirroredStrategy(tf.config.list_logical_devices("CPU"))
LIMIT, SIGMA, BATCH, SEED, RATE = 1.0, 0.5, 8, 7, 0.1
loss_of = keras.losses.mean_squared_error


class PrivateModel(keras.Model):
    def one(self, example):
        x, y = tf.nest.map_structure(lambda t: t[None], example)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(loss_of(y, self(x, training=True)))
            scaled = self.optimizer.scale_loss(loss)
        gradients = tape.gradient(scaled, self.trainable_variables)
        gradients = [tf.convert_to_tensor(g) for g in gradients]
        squares = [tf.reduce_sum(gradient**2) for gradient in gradients]
        return gradients, tf.sqrt(tf.add_n(squares)), loss

    def train_step(self, batch):
        gradients, norms, losses = tf.vectorized_map(self.one, batch)
        limit = self.optimizer.scale_loss(tf.constant(LIMIT))
        factors = limit / tf.maximum(norms, limit)
        sums = [tf.tensordot(factors, g, 1) for g in gradients]
        replica = tf.distribute.get_replica_context()
        sums = replica.all_reduce("SUM", sums)
        step = tf.cast(self.optimizer.iterations, tf.int64)
        share = BATCH * replica.num_replicas_in_sync  # apply() sums again
        gradients = []
        for number, total in enumerate(sums):
            noise = SIGMA * limit * tf.random.stateless_normal(
                total.shape, [SEED + number, step])  # the same on each
            gradients.append((total + noise) / share)
        self.optimizer.apply(gradients, self.trainable_variables)
        return {"batch_loss": tf.reduce_mean(losses)}


def build(policy):
    keras.utils.set_random_seed(0)
    keras.config.set_dtype_policy(policy)
    x = keras.Input([4])
    hidden = keras.layers.Dense(500, activation="tanh")(x)
    model = PrivateModel(x, keras.layers.Dense(1, dtype="float32")(hidden))
    optimizer = keras.optimizers.SGD(RATE)
    if policy == "mixed_float16":
        optimizer = keras.optimizers.LossScaleOptimizer(
            optimizer, initial_scale=128)
    model.compile(optimizer, loss_of)
    model.optimizer.build(model.trainable_variables)
    return model


x = tf.random.stateless_normal([20, 4], [1, 2]) * [1.0, 1.0, 1.0, 0.0]
y = x @ [[1.0], [-2.0], [0.5], [0.0]]
one = tf.distribute.get_strategy()
for strategy, policy in (
        (one, "float32"), (two, "float32"), (two, "mixed_float16")):
    with strategy.scope():
        model = build(policy)
    kernel = model.layers[1].kernel
    before = kernel.numpy()
    model.fit(x, y, batch_size=BATCH, shuffle=False, verbose=0)
    moved = (kernel.numpy() - before) * BATCH / RATE
    steps = model.optimizer.iterations.numpy()
    print(strategy.num_replicas_in_sync, "replica(s),", policy)
    print("  weights:", kernel[:3, 0].numpy().round(3))
    # The last input is 0, so only the noise moves its weights.
    print(f"  noise per step: {moved[3].std() / steps**0.5:.2f}")
