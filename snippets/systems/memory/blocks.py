"""A chain of 64 steps, divided into blocks: tensors alive, and steps run."""

import weakref

import tensorflow as tf

count = {}


def step(x):
    y = tf.sin(x)
    count["run"] += 1
    count["alive"] += 1
    count["most"] = max(count["most"], count["alive"])
    weakref.finalize(y, gone)
    return y


def gone():
    count["alive"] -= 1


def steps(x, k):
    for _ in range(k):
        x = step(x)
    return x


def blocks(x, n, k):
    for _ in range(n // k):
        x = tf.recompute_grad(lambda x: steps(x, k))(x)
    return x


def most(n, k):
    m = n / k + k
    return m


n = 64
for k in 0, 1, 2, 4, 8, 16, 32, 64:
    count.update(run=0, alive=0, most=0)
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = blocks(x, n, k) if k else steps(x, n)
    gradient = tape.gradient(y, x)
    says = f"n/k + k = {most(n, k):2.0f}" if k else "no blocks"
    print(f"k = {k:2d}  dy/dx {gradient:.6f}  steps run {count['run']:3d}"
          f"  at once {count['most']:2d}  {says}")
    del tape, y
