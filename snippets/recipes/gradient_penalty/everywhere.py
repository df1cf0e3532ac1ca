"""The critic in mixed precision, and on two replicas."""

import keras
import tensorflow as tf

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(
    cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
devices = tf.config.list_logical_devices("CPU")


def input_gradients(critic, points):
    """The gradient of each score with respect to its own example."""
    with tf.GradientTape() as tape:
        tape.watch(points)
        scores = critic(points, training=True)
    return tape.gradient(scores, points)


def gradient_penalty(critic, points):
    """The mean over examples of (norm of the input gradient - 1)^2."""
    gradients = input_gradients(critic, points)
    axes = list(range(1, len(points.shape)))  # all but the batch
    squares = tf.reduce_sum(tf.square(gradients), axes)
    norms = tf.sqrt(tf.maximum(squares, 1e-12))  # no NaN where it is 0
    return tf.reduce_mean(tf.square(norms - 1.0))


class Critic(keras.Model):
    """fit takes real examples as x and generated ones as y."""

    def __init__(self):
        super().__init__()
        layers = keras.layers
        self.network = keras.Sequential(
            [layers.Dense(32, "tanh"), layers.Dense(1, dtype="float32")])
        self.seed = keras.random.SeedGenerator(0)

    def call(self, x, training=False):
        return self.network(x, training=training)

    def compute_loss(
        self, x=None, y=None, y_pred=None, sample_weight=None, training=True
    ):
        each = [tf.shape(x)[0]] + [1] * (len(x.shape) - 1)
        t = keras.random.uniform(each, seed=self.seed)
        between = t * x + (1.0 - t) * y
        generated = self.network(y, training=training)
        distance = tf.reduce_mean(y_pred) - tf.reduce_mean(generated)
        loss = 10.0 * gradient_penalty(self.network, between) - distance
        # fit adds the gradients of all replicas.
        return loss / tf.distribute.get_strategy().num_replicas_in_sync


noise = 0.1 * tf.random.stateless_normal([64, 2], seed=[1, 2])
real, generated = noise + 1.0, noise - 1.0
epochs = [tf.tile(each, [30, 1]) for each in (real, generated)]


def train(name):
    keras.utils.set_random_seed(0)
    model = Critic()
    model.compile(keras.optimizers.Adam(0.05))
    model.fit(*epochs, batch_size=64, verbose=0)  # faster than 30 epochs
    norms = tf.norm(input_gradients(model.network, real), axis=1)
    print(f"{name}: norms from {min(norms):.2f} to {max(norms):.2f}")


train("float32")
with tf.distribute.MirroredStrategy(devices).scope():
    train("two replicas")
keras.config.set_dtype_policy("mixed_float16")
train("mixed_float16")
