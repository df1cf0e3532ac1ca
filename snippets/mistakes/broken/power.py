"""Squares of complex numbers, far from and near the negative real axis."""

import tensorflow as tf

for x, h in ((-3.0, 0.5), (-3.0, 1e-6), (-3.0, 1e-10), (-3.0, 1e-20),
             (-1.0, 1e-20), (3.0, 1e-20)):
    z = tf.complex(tf.constant(x, tf.float64), tf.constant(h, tf.float64))
    power, product = (tf.math.imag(y) / h for y in (z ** 2, z * z))
    print(f"z = {x} + {h}i  imaginary part / h:"
          f"  z ** 2 {power:.10g}  z * z {product:.10g}")
