"""Deliberately wrong: the Hessian of each weight alone, and tf.hessians."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
x = tf.random.stateless_normal([6, 2], seed=[1, 2])
model = keras.Sequential([
    keras.Input([2]), keras.layers.Dense(2, "tanh", use_bias=False),
    keras.layers.Dense(1, use_bias=False)])
weights = model.trainable_variables
v = [tf.ones(w.shape) for w in weights]


def row(parts):
    return tf.concat([tf.reshape(part, [-1]) for part in parts], 0)


with tf.GradientTape(persistent=True) as outer:
    with tf.GradientTape() as inner:
        L = tf.reduce_mean(tf.square(model(x) - 1.0))
    g = inner.gradient(L, weights)
    flat = row(g)


def times(blocks):  # one weight with itself: shape w.shape + w.shape
    return row([
        tf.linalg.matvec(tf.reshape(b, [tf.size(p), -1]), tf.reshape(p, [-1]))
        for b, p in zip(blocks, v)])


@tf.function
def hessians():
    kernels = [w.value.read_value() for w in weights]
    hidden = tf.tanh(x @ kernels[0])
    L = tf.reduce_mean(tf.square(hidden @ kernels[1] - 1.0))
    return tf.hessians(L, kernels)


one_by_one = [outer.jacobian(p, w) for p, w in zip(g, weights)]
print("one by one ", times(one_by_one).numpy().round(3))
print("tf.hessians", times(hessians()).numpy().round(3))
blocks = outer.jacobian(flat, weights)
H = tf.concat([tf.reshape(b, [6, -1]) for b in blocks], 1)
print("right      ", tf.linalg.matvec(H, row(v)).numpy().round(3))
