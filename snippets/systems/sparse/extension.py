"""A type that declares which of its tensors have gradients."""

import tensorflow as tf


class Both:
    def get_gradient_components(self, value):
        return value.slope, value.start

    def replace_gradient_components(self, value, components):
        return Line(*components)


class Line(tf.experimental.ExtensionType):
    slope: tf.Tensor
    start: tf.Tensor
    __composite_gradient__ = Both()


@tf.custom_gradient
def squared(line):
    def grad(upstream):
        print("upstream:", type(upstream).__name__)
        return Line(upstream.slope * 2.0 * line.slope,
                    upstream.start * 2.0 * line.start)

    return Line(line.slope ** 2, line.start ** 2), grad


line = Line(3.0, 4.0)
for name, run in ("eager", squared), ("graph", tf.function(squared)):
    with tf.GradientTape() as tape:
        tape.watch(line)
        result = run(line)
        loss = result.slope + 10.0 * result.start
    found = tape.gradient(loss, line)
    print(name, "slope", found.slope.numpy(), "start", found.start.numpy())
