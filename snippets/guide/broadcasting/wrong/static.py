"""Deliberately wrong: axes from a shape that a graph may not know."""

import tensorflow as tf


def unbroadcast(gradient, like):
    while gradient.shape.rank > like.shape.rank:
        gradient = tf.reduce_sum(gradient, axis=0)
    for axis, size in enumerate(like.shape):
        if size == 1:
            gradient = tf.reduce_sum(gradient, axis, keepdims=True)
    return gradient


# truth: the rule is right
@tf.custom_gradient
def product(x, b):
    def grad(upstream):
        return unbroadcast(upstream * b, x), unbroadcast(upstream * x, b)

    return x * b, grad


def gradient(x, b):
    with tf.GradientTape() as tape:
        tape.watch(b)
        loss = tf.reduce_sum(product(x, b))
    tf.print("b has shape", tf.shape(b), " in the program:", b.shape)
    return tape.gradient(loss, b)


x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
b = tf.constant([[2.0, 3.0, 4.0]])
rows = tf.TensorSpec([None, 3])
in_graph = tf.function(gradient, input_signature=[rows, rows])
print("eager:", gradient(x, b).numpy().tolist())
print("graph:", in_graph(x, b).numpy().tolist())
try:
    tf.reshape(in_graph(x, b), tf.shape(b))
except tf.errors.InvalidArgumentError as error:
    print("tf.reshape:", str(error).split("}} ")[-1].split(" [Op:")[0])
