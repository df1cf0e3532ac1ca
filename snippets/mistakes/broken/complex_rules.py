"""Each function of three modules with complex inputs, and its gradient."""

import numpy as np
import tensorflow as tf

tf.get_logger().setLevel("ERROR")
Z = tf.constant([1.0 + 2.0j, 0.5 - 0.3j, -0.4 + 0.6j], tf.complex128)
W = tf.constant([0.7 - 0.2j, 1.1 + 0.4j, 0.3 + 0.9j], tf.complex128)
A = tf.constant([[1 + 2j, 0.3j - 0.2], [0.5 + 0.4j, 2 - 1j]], tf.complex128)
CALLS = {
    "(z)": (Z, lambda f, z: f(z)),
    "(z, w)": (Z, lambda f, z: f(z, W)),
    "(w, z)": (Z, lambda f, z: f(W, z)),
    "(z, ids)": (Z, lambda f, z: f(z, [0, 0, 1])),
    "(z, ids, 2)": (Z, lambda f, z: f(z, [0, 0, 1], 2)),
    "(a)": (A, lambda f, a: f(a)),
    "(a, a)": (A, lambda f, a: f(a, a)),
}
# These read one triangle, or return vectors whose phase is free.
NO_DERIVATIVE = "cholesky", "eig", "eigh", "logdet", "svd"


def loss(call, f, z):
    """A real loss, with a different upstream gradient for each output."""
    total = 0.0
    for y in tf.nest.flatten(call(f, z)):
        y = tf.reshape(tf.cast(y, tf.complex128), [-1])
        weights = tf.cast(tf.range(1, tf.size(y) + 1), y.dtype) * (0.6 + 0.8j)
        total += tf.math.real(tf.reduce_sum(y * weights))
    return total


def differences(call, f, z, h=1e-6):
    slopes = np.zeros(z.shape, complex)
    for place in np.ndindex(*z.shape):
        for unit in 1.0, 1j:
            step = np.zeros(z.shape, complex)
            step[place] = h * unit
            up, down = loss(call, f, z + step), loss(call, f, z - step)
            slopes[place] += unit * float(up - down) / (2.0 * h)
    return slopes


right, wrong = set(), {}
for module in tf.math, tf.linalg, tf.signal:
    for name, f in sorted(vars(module).items()):
        if not callable(f) or isinstance(f, type) or name in NO_DERIVATIVE:
            continue
        for arguments, (z, call) in CALLS.items():
            try:
                with tf.GradientTape() as tape:
                    tape.watch(z)
                    L = loss(call, f, z)
                found = tape.gradient(L, z).numpy()
                slopes = differences(call, f, z)
            except Exception:
                continue  # other arguments, no complex numbers, no gradient
            if np.allclose(found, slopes, 1e-4, 1e-4):
                right.add(name)
            elif np.isfinite(slopes).all() and name not in wrong:
                worst = np.argmax(np.abs(found - slopes))
                wrong[name] = arguments, found.flat[worst], slopes.flat[worst]
print("right:", len(right - wrong.keys()), " wrong:", len(wrong))
for name, (arguments, *numbers) in wrong.items():
    shown = [f"{np.round(each, 2) + 0:12.2f}" for each in numbers]
    print(f"{name + arguments:34} tape {shown[0]}  right {shown[1]}")
