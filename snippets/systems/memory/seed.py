"""Dropout in a recomputed block: the seed is drawn once, outside."""

import keras
import tensorflow as tf


class Block(keras.layers.Layer):
    def __init__(self, wrap):
        super().__init__()
        self.wrap = wrap
        self.dense = keras.layers.Dense(4, activation="tanh")
        self.seeds = keras.random.SeedGenerator(1)

    def call(self, x):
        seed = tf.cast(self.seeds.next(), tf.int32)

        def body(x):
            return tf.nn.experimental.stateless_dropout(
                self.dense(x), 0.5, seed=seed)

        return self.wrap(body)(x)


x = tf.random.stateless_normal([8, 4], seed=[1, 2])
found = {}
for name, wrap in ("plain", lambda f: f), ("remat", keras.remat):
    keras.utils.set_random_seed(0)
    block = Block(wrap)
    for call in 1, 2:
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(block(x) ** 2)
        found[name, call] = tape.gradient(
            loss, [x, *block.trainable_variables])

for call in 1, 2:
    far = max(float(tf.reduce_max(abs(a - b))) for a, b in zip(
        found["plain", call], found["remat", call]))
    print(f"call {call}  remat equals plain: {far < 1e-6}")
moved = tf.reduce_max(abs(found["remat", 1][0] - found["remat", 2][0]))
print("new mask in call 2:", bool(moved > 0.1))
