"""The step looks for None before it computes with the gradients."""

import tensorflow as tf

w = tf.Variable(1.0, name="w")
unused = tf.Variable(2.0, name="unused")


def checked(loss, variables, tape):
    gradients = tape.gradient(loss, variables)
    names = [variable.name for variable, gradient
             in zip(variables, gradients) if gradient is None]
    if names:
        raise ValueError(f"the loss doesn't depend on {names}")
    return gradients


def step(variables, loss):
    with tf.GradientTape() as tape:
        value = loss()
    for variable, gradient in zip(variables, checked(value, variables, tape)):
        variable.assign_sub(0.1 * gradient)
    return [variable.read_value() for variable in variables]


def unconnected():
    return w * w


def connected():
    return w * w * unused


for loss in unconnected, connected:
    for run in step, tf.function(step, autograph=False):
        w.assign(1.0)
        unused.assign(2.0)
        place = "eager" if run is step else "graph"
        try:
            after = [f"{each.numpy():.1f}" for each in run([w, unused], loss)]
            print(place, loss.__name__, *after)
        except ValueError as error:
            print(place, loss.__name__, error)
