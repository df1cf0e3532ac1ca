"""Deliberately wrong: which of the two operations raises an error?"""

import tensorflow as tf

image = tf.ones([1, 2, 2, 3])


def contrast(x):
    return tf.raw_ops.AdjustContrastv2(images=x, contrast_factor=2.0)


def attempt(operation, graph, stop):
    @tf.custom_gradient
    def wrapped(x):
        def inner():
            y = operation(x)
            return tf.stop_gradient(y) if stop else y

        return (tf.function(inner) if graph else inner)(), lambda up: up

    with tf.GradientTape() as tape:
        tape.watch(image)
        y = wrapped(image)
    return tape.gradient(y, image)


print("operation  inner tf.function  stop_gradient")
for operation in (tf.random.shuffle, contrast):
    for graph, stop in ((False, False), (True, False), (True, True)):
        try:
            attempt(operation, graph, stop)
            result = "returns a gradient"
        except LookupError as error:
            result = "LookupError: " + str(error).partition(" (")[0]
        print(f"{operation.__name__.replace('random_', ''):10}"
              f" {graph!s:17}  {stop!s:5}  {result}")
