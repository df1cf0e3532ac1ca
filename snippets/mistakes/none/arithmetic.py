"""The step checks for None before it computes with the gradients."""

import tensorflow as tf

w = tf.Variable(1.0, name="w")
unused = tf.Variable(2.0, name="unused")


def checked(gradients, variables):
    names = [variable.name for variable, gradient
             in zip(variables, gradients) if gradient is None]
    if names:
        raise ValueError(f"the loss doesn't depend on {names}")
    return gradients


def step():
    with tf.GradientTape() as tape:
        loss = w * w
    variables = [w, unused]
    gradients = checked(tape.gradient(loss, variables), variables)
    for variable, gradient in zip(variables, gradients):
        variable.assign_sub(0.1 * gradient)


in_graph = tf.function(step, autograph=False)
for place, run in ("eager", step), ("graph", in_graph):
    try:
        run()
    except ValueError as error:
        print(f"{place}: {error}")
