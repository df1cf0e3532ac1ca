"""Squares of complex numbers next to the negative real axis."""

import tensorflow as tf

h = 1e-20
for x in -0.4, -3.0, 3.0:
    z = tf.complex(tf.constant(x, tf.float64), tf.constant(h, tf.float64))
    for name, square in ("z ** 2", z ** 2), ("z * z", z * z):
        step = tf.math.imag(square) / h
        print(f"x = {x}  {name}: imaginary part / h = {step:.6g}"
              f"  right {2.0 * x}")
