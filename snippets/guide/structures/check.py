"""The custom gradient of polar against autodiff and central differences."""

import numpy as np
import tensorflow as tf


def plain(point):
    x, y = point["x"], point["y"]
    return {"r": tf.sqrt(x * x + y * y), "theta": tf.atan2(y, x)}


# truth: point["x"].shape == point["y"].shape
# truth: abs(point["x"]) + abs(point["y"]) > 0
@tf.custom_gradient
def polar(point):
    outputs = plain(point)

    def grad(*upstreams):
        x, y, r = point["x"], point["y"], outputs["r"]
        upstream = tf.nest.pack_sequence_as(outputs, upstreams)
        return {"x": upstream["r"] * x / r - upstream["theta"] * y / r**2,
                "y": upstream["r"] * y / r + upstream["theta"] * x / r**2}

    return outputs, grad


def loss(function, point):
    outputs = function(point)
    return tf.reduce_sum(outputs["r"]**2 * tf.sin(3.0 * outputs["theta"]))


def gradient(function, point):
    with tf.GradientTape() as tape:
        tape.watch(point)
        value = loss(function, point)
    return tape.gradient(value, point)


point = {"x": tf.constant([3.0, -1.0, -2.0, 1e-3], tf.float64),
         "y": tf.constant([4.0, 0.5, -1.0, 0.0], tf.float64)}
by_grad, by_autodiff = gradient(polar, point), gradient(plain, point)
h = 1e-6
for name in point:
    slopes = []
    for step in h * np.eye(4):
        up, down = ({**point, name: point[name] + s} for s in (step, -step))
        slopes.append((loss(plain, up) - loss(plain, down)) / (2.0 * h))
    print(name, "grad       ", np.round(by_grad[name], 6) + 0.0)
    print(name, "autodiff   ", np.round(by_autodiff[name], 6) + 0.0)
    print(name, "differences", np.round(slopes, 6) + 0.0)
