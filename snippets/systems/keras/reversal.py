"""Gradient reversal in a functional model; a callback sets its factor."""

# tracebook: rel=1e-2
import numpy as np
import tensorflow as tf
from tensorflow import keras


# truth: upstream becomes -lambda_ * upstream
# truth: lambda_ needs no gradient; lambda_.shape == []
@tf.custom_gradient
def reverse(x, lambda_):
    def grad(upstream):
        return -lambda_ * upstream, None

    z = tf.identity(x)
    return z, grad


class Reverse(keras.layers.Layer):
    def build(self, shape):
        self.lambda_ = self.add_weight(
            shape=(), initializer="zeros", trainable=False, name="lambda")

    def call(self, x):
        return reverse(x, tf.convert_to_tensor(self.lambda_))


# Column 0 predicts the label in both domains, column 1 only in the source.
rng = np.random.default_rng(1)
label = np.tile([[1.0], [-1.0]], [200, 1])
domain = np.repeat([[0.0], [1.0]], 200, axis=0)
second = np.where(domain == 0.0, 2.0 * label - 1.0, 1.0)
x = rng.normal(size=[400, 2]) + np.concatenate([label, second], 1)
targets = {"label": (label + 1.0) / 2.0, "domain": domain}
counts = {"label": 1.0 - domain[:, 0], "domain": np.ones([400])}

for lambda_ in 0.0, 3.0:
    keras.utils.set_random_seed(0)
    inputs, layer = keras.Input([2]), Reverse()
    feature = keras.layers.Dense(
        1, use_bias=False, kernel_initializer="ones")(inputs)
    heads = {"label": keras.layers.Dense(1, name="label")(feature),
             "domain": keras.layers.Dense(1, name="domain")(layer(feature))}
    model = keras.Model(inputs, heads)
    loss = keras.losses.BinaryCrossentropy(from_logits=True)
    model.compile(keras.optimizers.SGD(0.5), {"label": loss, "domain": loss})
    ramp = keras.callbacks.LambdaCallback(on_epoch_begin=lambda epoch, logs: (
        layer.lambda_.assign(lambda_ * min(1.0, epoch / 20))))
    model.fit(x, targets, 400, epochs=80, verbose=0, callbacks=[ramp],
              sample_weight=counts)
    right = (model(x)["label"].numpy() > 0.0) == (label > 0.0)
    w = model.get_weights()[0][:, 0]
    print(f"lambda to {lambda_}:  w = {w[0]:.2f} {w[1]:.2f}  right in the"
          f" source {right[:200].sum()}, in the target {right[200:].sum()}")

x, lambda_ = tf.constant([[2.0, -1.0]]), tf.constant(0.5)
with tf.GradientTape() as tape:
    tape.watch(x)
    z = reverse(x, lambda_)
z_bar = tf.constant([[1.0, 10.0]])
print("lambda 0.5:  upstream", z_bar.numpy(), " downstream",
      tape.gradient(z, x, output_gradients=z_bar).numpy())
