"""Polar coordinates: a dictionary in, a dictionary out."""

import tensorflow as tf


# truth: point["x"].shape == point["y"].shape
# truth: abs(point["x"]) + abs(point["y"]) > 0
@tf.custom_gradient
def polar(point):
    x, y = point["x"], point["y"]
    r = tf.sqrt(x * x + y * y)
    outputs = {"theta": tf.atan2(y, x), "r": r}

    def grad(*upstreams):
        tf.print("upstreams as they arrive:", upstreams)
        upstream = tf.nest.pack_sequence_as(outputs, upstreams)
        downstream = {
            "x": upstream["r"] * x / r - upstream["theta"] * y / r**2,
            "y": upstream["r"] * y / r + upstream["theta"] * x / r**2}
        tf.print("upstream_r =", upstream["r"],
                 " upstream_theta =", upstream["theta"])
        tf.print("downstream_x =", downstream["x"],
                 " downstream_y =", downstream["y"])
        return downstream

    return outputs, grad


point = {"y": tf.constant(4.0), "x": tf.constant(3.0)}
with tf.GradientTape() as tape:
    tape.watch(point)
    outputs = polar(point)
    loss = 10.0 * outputs["r"] + 100.0 * outputs["theta"]

for name, value in outputs.items():
    print("output", name, "=", value.numpy())
gradient = tape.gradient(loss, point)
for name, value in gradient.items():
    print("gradient", name, "=", value.numpy())
print("tf.nest.flatten of the outputs:",
      [each.numpy() for each in tf.nest.flatten(outputs)])
