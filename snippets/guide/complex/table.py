"""Each formula, compared with real autodiff and finite differences."""

import numpy as np
import tensorflow as tf

conj, real, imag = tf.math.conj, tf.math.real, tf.math.imag
w = tf.constant([2 - 1j, 0.5 + 1j, -1 + 0.3j], tf.complex128)
F = np.exp(-2j * np.pi * np.outer(range(3), range(3)) / 3)


def cast(x):
    return tf.cast(x, tf.complex128)


# The forward pass, its gradient, and the forward pass of a + ib in reals.
RULES = {
    "z w": (lambda z: z * w,
            lambda z, y, upstream: upstream * conj(w),
            lambda a, b: (a * real(w) - b * imag(w),
                          a * imag(w) + b * real(w))),
    "exp z": (tf.exp, lambda z, y, upstream: upstream * conj(y),
              lambda a, b: (tf.exp(a) * tf.cos(b), tf.exp(a) * tf.sin(b))),
    "z*": (conj, lambda z, y, upstream: conj(upstream), lambda a, b: (a, -b)),
    "Re z": (real, lambda z, y, upstream: upstream, lambda a, b: (a, 0 * b)),
    "Im z": (imag, lambda z, y, upstream: 1j * upstream,
             lambda a, b: (b, 0 * a)),
    "|z|^2": (lambda z: real(z * conj(z)),
              lambda z, y, upstream: 2 * upstream * z,
              lambda a, b: (a * a + b * b, 0)),
    "z^3 z*": (lambda z: z**3 * conj(z),
               lambda z, y, upstream: conj(upstream) * z**3
               + upstream * conj(3 * z**2 * conj(z)),
               lambda a, b: ((a * a - b * b) * (a * a + b * b),
                             2 * a * b * (a * a + b * b))),
    "|z|": (tf.abs, lambda z, y, upstream: upstream * z / cast(y),
            lambda a, b: (tf.sqrt(a * a + b * b), 0)),
    "arg z": (tf.math.angle, lambda z, y, upstream: 1j * upstream / conj(z),
              lambda a, b: (tf.atan2(b, a), 0)),
    "fft": (tf.signal.fft,
            lambda z, y, upstream: 3 * tf.signal.ifft(upstream),
            lambda a, b: (
                tf.tensordot(F.real, a, 1) - tf.tensordot(F.imag, b, 1),
                tf.tensordot(F.real, b, 1) + tf.tensordot(F.imag, a, 1))),
}
rng, h = np.random.default_rng(0), 1e-6
z, upstream = tf.constant(rng.normal(size=(2, 3, 2)) @ [1, 1j])
steps = h * np.concatenate([np.eye(3), 1j * np.eye(3)])
a, b = tf.Variable(real(z)), tf.Variable(imag(z))
for name, (forward, rule, reals) in RULES.items():
    up = upstream if forward(z).dtype.is_complex else cast(real(upstream))
    p, q = real(up), imag(up)
    with tf.GradientTape() as tape:
        u, v = reals(a, b)
        L = tf.reduce_sum(p * u + q * v)
    autodiff = tf.complex(*tape.gradient(L, [a, b]))
    change = cast(forward(z + steps) - forward(z - steps)) / (2.0 * h)
    slopes = tf.reduce_sum(p * real(change) + q * imag(change), axis=1)
    differences = tf.complex(slopes[:3], slopes[3:])
    found = rule(z, forward(z), up)
    errors = [np.max(abs(found - g)) for g in (autodiff, differences)]
    print(f"{name:6} equals autodiff in reals: {errors[0] < 1e-12}"
          f"  differences: {errors[1] < 1e-8}")
