"""Deliberately wrong: the output attribute of a layer that is used twice."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
question, text = [keras.Input([2], dtype="int32") for _ in range(2)]
embedding = keras.layers.Embedding(10, 2)
pool = keras.layers.GlobalAveragePooling1D()
both = keras.layers.Concatenate()(
    [pool(embedding(question)), pool(embedding(text))])
model = keras.Model([question, text], keras.layers.Dense(1)(both))
ids = [tf.constant([[1, 2]]), tf.constant([[3, 4]])]

two = keras.Model(model.inputs, [embedding.output, model.output])
with tf.GradientTape() as tape:
    output, score = two(ids)
print("embedding.output is the embedding of")
for name, number in {"question": 0, "text": 1}.items():
    print(f"  {name}:", bool(tf.reduce_all(output == embedding(ids[number]))))
print("gradient through output:", tape.gradient(
    score, output)[0, 0].numpy().round(2))
half = model.layers[-1].kernel[:, 0] / 2.0
print("right for the question: ", half[:2].numpy().round(2))
print("right for the text:     ", half[2:].numpy().round(2))
