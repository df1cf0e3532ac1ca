"""Deliberately wrong: the layers after an embedding, without its mask."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
embedding = keras.layers.Embedding(10, 4, mask_zero=True)
model = keras.Sequential([
    keras.Input([6], dtype="int32"), embedding, keras.layers.GRU(8),
    keras.layers.Dense(1)])
ids = tf.constant([[4, 7, 0, 0, 0, 0]])
points = tf.identity(embedding(ids))
print("model:          ", model(ids)[0].numpy().round(3))


def rest(points, **options):
    return model.layers[2](model.layers[1](points, **options))


for name, options in {
        "layers after it": {}, "with its mask": {
            "mask": embedding.compute_mask(ids)}}.items():
    with tf.GradientTape() as tape:
        tape.watch(points)
        score = rest(points, **options)
    gradient = tape.gradient(score, points)
    print(f"{name:15} ", score[0].numpy().round(3), "norms",
          tf.norm(gradient[0], axis=1).numpy().round(2))
