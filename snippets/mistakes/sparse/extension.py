"""The arguments of the decorated function are the tensors of the Line."""

import tensorflow as tf


class Line(tf.experimental.ExtensionType):
    slope: tf.Tensor
    start: tf.Tensor


# truth: slope.shape == x.shape; start.shape == x.shape
@tf.custom_gradient
def line_at(slope, start, x):
    def grad(upstream):
        return upstream * x, upstream, upstream * slope

    return slope * x + start, grad


def at(line, x):
    return line_at(line.slope, line.start, x)


line, x = Line(2.0, 1.0), tf.constant(3.0)
for name, function in (
        ("custom", at),
        ("plain ", lambda line, x: line.slope * x + line.start)):
    with tf.GradientTape() as tape:
        tape.watch([line.slope, line.start, x])
        y = function(line, x)
    print(name, [each.numpy() for each in tape.gradient(
        y, [line.slope, line.start, x])])
