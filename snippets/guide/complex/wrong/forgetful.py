"""Deliberately wrong: built-ins that forget the conjugate, and others."""

import numpy as np
import tensorflow as tf

linalg, math = tf.linalg, tf.math
w = tf.constant([3 - 1j, 1 + 1j], tf.complex128)


def matrix(z):
    return z * tf.eye(2, dtype=z.dtype) + [[0, 1], [2j, 1]]


def vector(z):
    return tf.stack([z, z * z])


functions = {
    "det": lambda z: linalg.det(matrix(z)),
    "sqrtm": lambda z: linalg.sqrtm(matrix(z)),
    "tridiagonal_solve": lambda z: (
        linalg.tridiagonal_solve((w, vector(z), w), w, "sequence")),
    "cumprod": lambda z: math.cumprod(vector(z)),
    "segment_prod": lambda z: math.segment_prod(vector(z), [0, 0]),
    "unsorted_segment_prod": lambda z: (
        math.unsorted_segment_prod(vector(z), [0, 0], 1)),
    "multiply_no_nan": lambda z: math.multiply_no_nan(vector(z), w),
    "xdivy": lambda z: math.xdivy(vector(z), w),
    "xlogy": lambda z: math.xlogy(vector(z), w),
    "xlog1py": lambda z: math.xlog1py(vector(z), w),
    "slogdet, the sign": lambda z: linalg.slogdet(matrix(z))[0],
    "slogdet, the log": lambda z: linalg.slogdet(matrix(z))[1],
    "squared_difference": lambda z: math.squared_difference(vector(z), w),
    "reduce_euclidean_norm": lambda z: math.reduce_euclidean_norm(vector(z)),
    "inv": lambda z: linalg.inv(matrix(z)),
    "reduce_prod": lambda z: math.reduce_prod(vector(z)),
    "divide_no_nan": lambda z: math.divide_no_nan(vector(z), w),
}


def slopes(function, upstream):
    """The tape's gradient, and the finite differences along 1 and i."""
    def loss(z):
        total = tf.reduce_sum(function(z))
        return math.real(np.conj(upstream) * total)

    z, h = tf.constant(1 + 2j, tf.complex128), 1e-6
    with tf.GradientTape() as tape:
        tape.watch(z)
        L = loss(z)
    along_1, along_i = (
        (loss(z + h * unit) - loss(z - h * unit)).numpy() / (2.0 * h)
        for unit in (1, 1j))
    return tape.gradient(L, z).numpy(), along_1 + 1j * along_i


print(f"{'':21}  {'upstream 1':25} upstream i")
print(f"{'':21}", *[f"{word:>12}" for word in 2 * ("tape", "right")])
for name, function in functions.items():
    numbers = *slopes(function, 1), *slopes(function, 1j)
    shown = [f"{np.round(number, 2) + 0:12.2f}" for number in numbers]
    print(f"{name:21}", *shown)
