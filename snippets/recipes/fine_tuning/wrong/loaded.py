"""Deliberately wrong: LoRA goes on after the model was loaded."""

import tempfile

import keras
import numpy as np
import tensorflow as tf


def train(model):
    """Returns how far the LoRA factors move."""
    for w in model.trainable_variables:
        w.trainable = w.name.startswith("lora")
    before = [w.numpy() for w in model.trainable_variables]
    model.compile(keras.optimizers.Adam(0.01), "mse")
    model.fit(x, y, epochs=3, verbose=0)
    return max(
        np.max(abs(new.numpy() - old))
        for new, old in zip(model.trainable_variables, before))


x = tf.random.stateless_normal([64, 4], [1, 2])
y = tf.reduce_sum(x, 1, keepdims=True)
keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input([4]), keras.layers.Dense(1)])
model.layers[0].enable_lora(2)
print(f"before saving: moved {train(model):.2f}")
with tempfile.TemporaryDirectory() as folder:
    model.save(folder + "/model.keras")
    loaded = keras.models.load_model(
        folder + "/model.keras", compile=False)
print("same predictions:", np.allclose(model(x), loaded(x), atol=1e-5))
for w in loaded.layers[0].variables:
    if w.name.startswith("lora"):
        print(f"{w.name}: largest {np.max(abs(w.numpy()))}")
print(f"after loading: moved {train(loaded):.2f}")
for factor in loaded.layers[0].variables:
    if factor.name == "lora_kernel_a":
        factor.assign(keras.initializers.HeUniform(seed=0)(factor.shape))
print(f"A drawn anew:  moved {train(loaded):.2f}")
