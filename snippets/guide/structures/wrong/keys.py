"""Deliberately wrong: gradients in the order of the written keys."""

import tensorflow as tf


@tf.custom_gradient
def line(model, x):
    def grad(upstream):
        downstream_w, downstream_b = upstream * x, upstream
        return downstream_w, downstream_b, upstream * model["w"]

    return model["w"] * x + model["b"], grad


@tf.custom_gradient
def capital(model, x):
    def grad(upstream):
        return {"W": upstream * x, "b": upstream}, upstream * model["w"]

    return model["w"] * x + model["b"], grad


# truth: the rule is right
# truth: model["w"].shape == x.shape; model["b"].shape == x.shape
@tf.custom_gradient
def with_keys(model, x):
    def grad(upstream):
        downstream = {"w": upstream * x, "b": upstream}
        return downstream, upstream * model["w"]

    return model["w"] * x + model["b"], grad


def plain(model, x):
    return model["w"] * x + model["b"]


model = {"w": tf.constant(2.0), "b": tf.constant(0.0)}
x = tf.constant(5.0)
for function in line, capital, with_keys, plain:
    with tf.GradientTape() as tape:
        tape.watch(model)
        y = function(model, x)
    gradient = tape.gradient(y, model)
    print(f"{function.__name__:9} w: {gradient['w'].numpy()}"
          f"  b: {gradient['b'].numpy()}")
