"""Compare gradients with TensorFlow's and with finite differences."""

import numpy as np
import tensorflow as tf

random = np.random.default_rng(1)


@tf.custom_gradient
def phase(theta):
    y = tf.complex(tf.cos(theta), tf.sin(theta))
    return y, lambda upstream: tf.math.real(upstream * tf.math.conj(1j * y))


# truth: x.shape[-1] > 0
@tf.custom_gradient
def rfft(x):
    n = x.shape[-1]
    # 0.5 for each frequency that irfft counts twice.
    factors = [1.0] + [0.5] * ((n - 1) // 2) + [1.0] * (1 - n % 2)

    def grad(upstream):
        u = tf.cast(factors, upstream.dtype) * upstream
        return n * tf.signal.irfft(u, [n])

    return tf.signal.rfft(x), grad


# truth: z.shape[-1] == 3
@tf.custom_gradient
def irfft4(z):
    def grad(upstream):
        twice = tf.constant([1.0, 2.0, 1.0], z.dtype)
        return twice * tf.signal.rfft(upstream) / 4

    return tf.signal.irfft(z), grad


def numbers(shape, is_complex):
    real = random.normal(size=shape)
    return real + 1j * random.normal(size=shape) if is_complex else real


def inner_product(function, x, upstream):
    y = function(tf.constant(x)).numpy()
    return np.sum(np.real(np.conj(upstream) * y))


for name, rule, plain, x in [
    ("phase", phase, lambda x: tf.complex(tf.cos(x), tf.sin(x)),
     numbers(3, False)),
    ("rfft of 4", rfft, tf.signal.rfft, numbers(4, False)),
    ("rfft of 5", rfft, tf.signal.rfft, numbers((2, 5), False)),
    ("irfft of 3", irfft4, tf.signal.irfft, numbers(3, True)),
]:
    given = tf.constant(x)
    upstream = numbers(plain(given).shape, plain(given).dtype.is_complex)
    found = []
    for function in rule, plain:
        with tf.GradientTape() as tape:
            tape.watch(given)
            y = function(given)
        found.append(tape.gradient(y, given, upstream).numpy())
    v = numbers(x.shape, np.iscomplexobj(x))
    h = 1e-5
    over, under = (inner_product(plain, x + s * v, upstream) for s in (h, -h))
    slope = (over - under) / (2 * h)
    along = np.sum(np.real(np.conj(found[0]) * v))
    agrees = np.isclose(along, slope, rtol=1e-8)
    same = np.allclose(*found, rtol=1e-12)
    print(f"{name:10} equals TensorFlow's: {same}"
          f"  finite differences: {agrees}")
