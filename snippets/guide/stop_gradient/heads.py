"""One head of a Keras model trains the shared layer, the other doesn't."""

import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(0)
inputs = keras.Input([4])
shared = keras.layers.Dense(3, name="shared")
features = shared(inputs)
trains = keras.layers.Dense(1, name="trains")(features)
stopped = keras.ops.stop_gradient(features)
reads = keras.layers.Dense(1, name="reads")(stopped)
model = keras.Model(inputs, [trains, reads])
x = tf.ones([2, 4])
for number, name in enumerate(["trains", "reads"]):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(x)[number])
    kernels = [layer.kernel.value for layer in model.layers
               if isinstance(layer, keras.layers.Dense)]
    gradients = tape.gradient(loss, kernels)
    norms = [g if g is None else round(float(tf.norm(g)), 2)
             for g in gradients]
    print(f"loss of {name:6}: shared, trains, reads", norms)
