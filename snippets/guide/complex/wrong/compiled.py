"""Deliberately wrong: three operations that forget the conjugate under XLA."""

import numpy as np
import tensorflow as tf

functions = {
    "sqrt": tf.sqrt,
    "rsqrt": tf.math.rsqrt,
    "reciprocal": tf.math.reciprocal,
    "z ** 0.5": lambda z: z ** 0.5,
    "1 / z": lambda z: 1.0 / z,
}


def gradients(z):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(z)
        outputs = [function(z) for function in functions.values()]
    return [tape.gradient(y, z) for y in outputs]


z, h = tf.constant(1 + 2j, tf.complex128), 1e-6
compiled = tf.function(gradients, jit_compile=True, autograph=False)
rows = zip(functions.items(), gradients(z), compiled(z))
for (name, function), eager, xla in rows:
    slope = (function(z + h) - function(z - h)).numpy() / (2.0 * h)
    shown = [f"{np.round(number, 4) + 0:.4f}"
             for number in (eager, xla, np.conj(slope))]
    print(f"{name:10}  eager {shown[0]}  XLA {shown[1]}  right {shown[2]}")
