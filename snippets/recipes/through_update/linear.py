"""The gradient through one step: tape, formula, finite differences."""

import keras
import tensorflow as tf

RATE = 0.1
x, query = tf.random.stateless_normal([2, 8, 3], seed=[1, 2])
y, answer = tf.random.stateless_normal([2, 8, 1], seed=[3, 4])
keras.utils.set_random_seed(0)
model = keras.Sequential([
    keras.Input([3]), keras.layers.Dense(1, use_bias=False)])


def loss(weights, x, y):
    z, _ = model.stateless_call(weights, [], x, training=True)
    return tf.reduce_mean(tf.square(z - y))


def step(weights):
    with tf.GradientTape() as tape:
        tape.watch(weights)
        inner = loss(weights, x, y)
    gradients = tape.gradient(inner, weights)
    return [w - RATE * g for w, g in zip(weights, gradients)]


@tf.function
def meta_gradient(start):
    with tf.GradientTape() as tape:
        tape.watch(start)
        outer = loss(step(start), query, answer)
    return tape.gradient(outer, start)


start = [tf.convert_to_tensor(v) for v in model.trainable_variables]
[tape_gradient] = meta_gradient(start)

[w] = step(start)
slope = 2.0 / 8.0 * tf.transpose(query) @ (query @ w - answer)  # g'
H = 2.0 / 8.0 * tf.transpose(x) @ x
formula = (tf.eye(3) - RATE * H) @ slope

differences = []
for h in 0.01 * tf.eye(3):
    up, down = start[0] + h[:, None], start[0] - h[:, None]
    change = (loss(step([up]), query, answer)
              - loss(step([down]), query, answer))
    differences.append(change / 0.02)

for name, gradient in {
        "tape": tape_gradient, "formula": formula,
        "differences": tf.stack(differences), "first order": slope}.items():
    print(f"{name:11}", tf.reshape(gradient, [3]).numpy().round(3))
