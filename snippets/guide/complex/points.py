"""Zero, and both sides of the negative real axis: value and gradient."""

import tensorflow as tf

points = {"at 0": 0j, "above -1": -1 + 1e-6j, "below -1": -1 - 1e-6j}
for name, function in (
        ("abs", tf.abs), ("arg", tf.math.angle), ("sqrt", tf.sqrt),
        ("log", tf.math.log), ("norm", lambda z: tf.norm(z[None]))):
    for place, value in points.items():
        z = tf.constant(value, tf.complex128)
        with tf.GradientTape() as tape:
            tape.watch(z)
            y = function(z)
        gradient = tape.gradient(y, z)
        print(f"{name:4} {place:8}  value {y.numpy().round(2) + 0:.2f}"
              f"  gradient {gradient.numpy().round(2) + 0:.2f}")
