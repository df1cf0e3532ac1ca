"""A dictionary goes in, and one with the same keys comes back."""

import tensorflow as tf


# truth: model["w"].shape == model["b"].shape
@tf.custom_gradient
def line(model):
    def grad(upstream):
        downstream = {"w": upstream * 5.0, "b": upstream}
        assert downstream.keys() == model.keys()
        return downstream

    return 5.0 * model["w"] + model["b"], grad


def plain(model):
    return 5.0 * model["w"] + model["b"]


model = {"w": tf.constant(2.0), "b": tf.constant(1.0)}
for function in line, plain:
    with tf.GradientTape() as tape:
        tape.watch(model)
        y = function(model)
    found = tape.gradient(y, model)
    print(f"{function.__name__:5}",
          *[f"{key}: {found[key].numpy()}" for key in model])
