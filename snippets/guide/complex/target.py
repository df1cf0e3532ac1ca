"""A complex target: upstream 1 gives the conjugate of f'(z)."""

import numpy as np
import tensorflow as tf

z = tf.constant(1 + 2j, tf.complex128)
for name, function, slope in (
        ("z^2", tf.square, lambda z: 2 * z),
        ("exp z", tf.exp, np.exp),
        ("1/z", lambda z: 1 / z, lambda z: -1 / z ** 2),
        ("z^2 z*", lambda z: z ** 2 * tf.math.conj(z), None)):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(z)
        y = function(z)
        parts = tf.math.real(y), tf.math.imag(y)
    derivative = f"{slope(z.numpy()):.3f}" if slope else "does not exist"
    print(f"{name}: f'(z) {derivative}")
    for target, name in ((y, "y"), (parts[0], "Re y"), (parts[1], "Im y")):
        print(f"    {name:4} -> {tape.gradient(target, z).numpy():.3f}")
