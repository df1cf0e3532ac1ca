"""Deliberately wrong: a step through layer or batch normalization."""

# tracebook: alone

import keras
import tensorflow as tf

keras.config.set_floatx("float64")
x, query = tf.random.stateless_normal([2, 8, 3], [1, 2], dtype="float64")
y, answer = tf.random.stateless_normal([2, 8, 1], [3, 4], dtype="float64")


class ByHand(keras.layers.Layer):
    def call(self, x):
        mean = keras.ops.mean(x, axis=-1, keepdims=True)
        variance = keras.ops.var(x, axis=-1, keepdims=True)
        return (x - mean) * keras.ops.rsqrt(variance + 0.001)


def outer_loss(model, weights):
    state = [v.value for v in model.non_trainable_variables]
    with tf.GradientTape() as tape:
        tape.watch(weights)
        z, _ = model.stateless_call(weights, state, x, training=True)
        loss = tf.reduce_mean(tf.square(z - y))
    gradients = tape.gradient(loss, weights)
    weights = [w - 0.5 * g for w, g in zip(weights, gradients)]
    z, _ = model.stateless_call(weights, state, query, training=True)
    return tf.reduce_mean(tf.square(z - answer))


for layer in (keras.layers.BatchNormalization(),
              keras.layers.LayerNormalization(),
              keras.layers.GroupNormalization(2),
              keras.layers.RMSNormalization(), ByHand()):
    keras.utils.set_random_seed(0)
    model = keras.Sequential([
        keras.Input([3]), keras.layers.Dense(8, "tanh"), layer,
        keras.layers.Dense(1)])
    start = [tf.convert_to_tensor(v) for v in model.trainable_variables]
    with tf.GradientTape() as tape:
        tape.watch(start)
        loss = outer_loss(model, start)
    gradient = tape.gradient(loss, start)[0][0, 0]
    h = tf.scatter_nd([[0, 0]], tf.constant([1e-5], "float64"), [3, 8])
    change = (outer_loss(model, [start[0] + h, *start[1:]])
              - outer_loss(model, [start[0] - h, *start[1:]]))
    print(f"{type(layer).__name__:18}  tape {gradient:7.4f}"
          f"  differences {change / 2e-5:7.4f}")
