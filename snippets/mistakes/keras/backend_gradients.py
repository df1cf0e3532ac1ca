"""The gradients of a score with respect to the input and a hidden layer."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
layers = keras.layers
model = keras.Sequential([
    keras.Input([2]),
    layers.Dense(3, "tanh", name="hidden"),
    layers.Dense(2),
])
outputs = [model.get_layer("hidden").output, model.outputs[0]]
both = keras.Model(model.inputs, outputs)


@tf.function
def gradients(x, index):
    with tf.GradientTape() as tape:
        tape.watch(x)
        hidden, scores = both(x, training=False)
        score = scores[:, index]
    return tape.gradient(score, [x, hidden])


of_x, of_hidden = gradients(tf.constant([[0.5, -1.0]]), 1)
kernel = model.layers[-1].kernel.numpy()
print("input        ", of_x.numpy().round(3))
print("hidden layer ", of_hidden.numpy().round(3))
print("second kernel", kernel[:, 1].round(3))
