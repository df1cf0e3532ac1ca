"""Compare gradients and state of keras.remat(layer) with the plain layer."""

import keras
import tensorflow as tf


def run(layer, wrap, x):
    def body(x):
        return layer(x, training=True)

    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(wrap(body)(x) ** 2)
    slopes = tape.gradient(loss, [x, *layer.trainable_variables])
    return slopes, layer.non_trainable_variables


def agree(one, other):
    return all(float(tf.reduce_max(abs(
        tf.cast(a, tf.float64) - tf.cast(b, tf.float64)))) < 1e-4
        for a, b in zip(one, other))


x = tf.random.stateless_normal([8, 4], seed=[1, 2])
for make in (
        lambda: keras.layers.Dense(4, activation="tanh"),
        lambda: keras.layers.LayerNormalization(),
        lambda: keras.layers.BatchNormalization(),
        lambda: keras.layers.GaussianNoise(1.0, seed=1),
        lambda: keras.layers.Dropout(0.5, seed=1)):
    both = []
    for wrap in (lambda f: f), keras.remat:
        keras.utils.set_random_seed(0)
        layer = make()
        layer.build(x.shape)
        both.append(run(layer, wrap, x))
    (slopes, state), (again, after) = both
    print(f"{type(layer).__name__:18}  gradients"
          f" {'right' if agree(slopes, again) else 'wrong'}"
          f"  state {'the same' if agree(state, after) else 'differs'}")
