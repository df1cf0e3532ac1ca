"""Deliberately wrong: an ExtensionType is an argument."""
# tracebook: raises ValueError

import tensorflow as tf


class Line(tf.experimental.ExtensionType):
    slope: tf.Tensor
    start: tf.Tensor


@tf.custom_gradient
def at(line, x):
    def grad(upstream):
        return upstream * x, upstream, upstream * line.slope

    return line.slope * x + line.start, grad


at(Line(2.0, 1.0), tf.constant(3.0))
