"""Deliberately wrong: a custom gradient that captures its weight."""

import keras
import tensorflow as tf

x, query = tf.random.stateless_normal([2, 8, 3], seed=[1, 2])
y, answer = tf.random.stateless_normal([2, 8, 1], seed=[3, 4])


class Captured(keras.layers.Layer):
    def build(self, shape):
        self.scale = self.add_weight(shape=shape[-1:], initializer="ones")

    def call(self, x):
        @tf.custom_gradient
        def scaled(x):
            scale = tf.convert_to_tensor(self.scale)

            def grad(upstream, variables=None):
                of_scale = tf.reduce_sum(upstream * x, axis=0)
                if variables is None:
                    return upstream * scale
                return upstream * scale, [of_scale]

            return x * scale, grad

        return scaled(x)


class Passed(Captured):
    def call(self, x):
        # truth: the rule is right; x.shape == [2, 3]; scale.shape == [3]
        @tf.custom_gradient
        def scaled(x, scale):
            x, scale = tf.identity(x), tf.identity(scale)

            def grad(upstream):
                of_scale = tf.reduce_sum(upstream * x, axis=0)
                return upstream * scale, of_scale

            return x * scale, grad

        return scaled(x, tf.convert_to_tensor(self.scale))


def loss(model, weights, x, y):
    z, _ = model.stateless_call(weights, [], x)
    return tf.reduce_mean(tf.square(z - y))


for layer in Passed(), Captured():
    keras.utils.set_random_seed(0)
    model = keras.Sequential([
        keras.Input([3]), keras.layers.Dense(3, "tanh"), layer,
        keras.layers.Dense(1)])
    start = [v.value for v in model.trainable_variables]
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            inner = loss(model, start, x, y)
        gradients = tape.gradient(inner, start)
        weights = [w - 0.1 * g for w, g in zip(start, gradients)]
        last = loss(model, weights, query, answer)
    gradient = outer.gradient(last, start)[2]
    print(f"{type(layer).__name__:9}", gradient.numpy().round(3))
