"""Gradients of complex functions at 1 + 2i, eagerly and under XLA."""

import os

import numpy as np
import tensorflow as tf

tf.get_logger().setLevel("ERROR")
os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # XLA logs what it cannot do

z = tf.constant(1.0 + 2.0j, tf.complex64)


def slope(f, z):
    with tf.GradientTape() as tape:
        tape.watch(z)
        L = tf.math.real(f(z) * (0.6 - 0.8j))
    return tape.gradient(L, z)


right, wrong = 0, {}
for name, f in sorted(vars(tf.math).items()):
    try:
        eager = slope(f, z)
        value = f(z)
        assert eager is not None and value.dtype == z.dtype
        compiled = tf.function(slope, jit_compile=True, autograph=False)(f, z)
    except Exception:
        continue
    if np.allclose(eager, compiled, 1e-3, 1e-3):
        right += 1
    else:
        wrong[name] = eager.numpy(), compiled.numpy()
print("the same:", right, " not the same:", len(wrong))
for name, numbers in wrong.items():
    shown = [f"{np.round(each, 4) + 0:.4f}" for each in numbers]
    print(f"{name:12} eager {shown[0]}  XLA {shown[1]}")
