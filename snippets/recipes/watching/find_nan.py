"""The layer at which the backward pass becomes NaN, in any model."""

import keras
import tensorflow as tf


@tf.custom_gradient
def probe(x, name):
    """The identity; prints the gradient that passes, if it isn't finite."""

    def grad(upstream):
        bad = tf.reduce_sum(
            tf.cast(~tf.math.is_finite(upstream), tf.int32))
        tf.cond(
            bad > 0,
            lambda: tf.print("not finite, coming out of", name, ":", bad),
            lambda: tf.no_op())
        return upstream, None

    return tf.identity(x), grad


class Root(keras.layers.Layer):
    def call(self, x):
        return tf.sqrt(tf.nn.relu(x))


keras.utils.set_random_seed(0)
model = keras.Sequential([
    keras.Input([4]), keras.layers.Dense(4, name="first"),
    Root(name="root"), keras.layers.Dense(4, "tanh", name="second"),
    keras.layers.Dense(1, name="last")])


def add_probe(layer):
    call = layer.call

    def probed(*inputs, **options):
        return call(*tf.nest.map_structure(probe_float, inputs), **options)

    def probe_float(x):
        if tf.is_tensor(x) and x.dtype.is_floating:
            return probe(x, tf.constant(layer.name))
        return x

    layer.call = probed


for layer in model.layers:
    add_probe(layer)
model.compile("sgd", "mse", jit_compile=False)
x = tf.random.stateless_normal([8, 4], seed=[1, 2])
model.fit(x, tf.ones([8, 1]), batch_size=8, verbose=0, shuffle=False)
