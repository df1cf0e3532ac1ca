"""Deliberately wrong: LoRA is added after the first fit."""

import keras
import numpy as np
import tensorflow as tf

x = tf.random.stateless_normal([64, 4], [1, 2])
y = tf.reduce_sum(x, 1, keepdims=True)


def train(again):
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.Input([4]), keras.layers.Dense(1)])
    dense = model.layers[0]
    model.compile("sgd", "mse")
    model.fit(x, y, epochs=1, verbose=0)
    dense.enable_lora(2)
    before = {w.name: w.numpy() for w in dense.variables}
    if again:
        model.compile("sgd", "mse")
    model.fit(x, y, epochs=1, verbose=0)
    print("compile again" if again else "not compiled")
    for w in dense.variables:
        moved = not np.array_equal(before[w.name], w)
        print(f"  {w.name:14} trainable {w.trainable!s:5} moved {moved}")


train(again=False)
train(again=True)
