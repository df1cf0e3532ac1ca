"""Each formula, compared with TensorFlow's gradient and finite differences."""

import numpy as np
import tensorflow as tf

conj, real, imag = tf.math.conj, tf.math.real, tf.math.imag
w = tf.constant([2 - 1j, 0.5 + 1j, -1 + 0.3j], tf.complex128)


def to_complex(x):
    return tf.complex(x, tf.zeros_like(x))


# The forward pass and its gradient, for three complex numbers.
COMPLEX = {
    "z w": (lambda z: z * w, lambda z, y, upstream: upstream * conj(w)),
    "z^3 z*": (lambda z: z**3 * conj(z),
               lambda z, y, upstream: conj(upstream) * z**3
               + upstream * conj(3 * z**2 * conj(z))),
    "z*": (conj, lambda z, y, upstream: conj(upstream)),
    "Re z": (real, lambda z, y, upstream: to_complex(upstream)),
    "Im z": (imag, lambda z, y, upstream: 1j * to_complex(upstream)),
    "|z|^2": (lambda z: real(z * conj(z)),
              lambda z, y, upstream: 2 * to_complex(upstream) * z),
    "|z|": (tf.abs,
            lambda z, y, upstream: to_complex(upstream / y) * z),
    "z / |z|": (lambda z: z / to_complex(tf.abs(z)), lambda z, y, upstream:
                (upstream - to_complex(real(conj(upstream) * y)) * y)
                / to_complex(tf.abs(z))),
    "arg z": (tf.math.angle,
              lambda z, y, upstream: 1j * to_complex(upstream) / conj(z)),
    "fft": (tf.signal.fft,
            lambda z, y, upstream: 3 * tf.signal.ifft(upstream)),
    "ifft": (tf.signal.ifft,
             lambda z, y, upstream: tf.signal.fft(upstream) / 3),
    "irfft": (tf.signal.irfft, lambda z, y, upstream:
              [1, 2, 1] * tf.signal.rfft(upstream) / 4),
}
# The same, for two rows of five real numbers.
REAL = {
    "complex": (lambda x: tf.complex(x[0], x[1]),
                lambda x, y, upstream: [real(upstream), imag(upstream)]),
    "phase": (lambda x: tf.complex(tf.cos(x), tf.sin(x)),
              lambda x, y, upstream: real(upstream * conj(1j * y))),
    "rfft": (tf.signal.rfft, lambda x, y, upstream:
             5 * tf.signal.irfft([1, 0.5, 0.5] * upstream, [5])),
}
rng, h = np.random.default_rng(0), 1e-6


def drawn(shape, is_complex):
    x = rng.normal(size=shape)
    return tf.constant(x + 1j * rng.normal(size=shape) if is_complex else x)


for name, (forward, rule) in (COMPLEX | REAL).items():
    shape = (3,) if name in COMPLEX else (2, 5)
    x, v = drawn(shape, name in COMPLEX), drawn(shape, name in COMPLEX)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = forward(x)
    upstream = drawn(y.shape, y.dtype.is_complex)
    found = rule(x, y, upstream)
    autodiff = tape.gradient(y, x, upstream)
    change = (forward(x + h * v) - forward(x - h * v)) / (2.0 * h)
    along = tf.reduce_sum(real(conj(found) * v))
    differences = tf.reduce_sum(real(conj(upstream) * change))
    same = np.allclose(found, autodiff, 1e-12)
    print(f"{name:7} equals TensorFlow's: {same}"
          f"  differences: {abs(along - differences) < 1e-8}")
