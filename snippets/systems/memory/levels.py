"""A chain divided into levels of blocks: tensors alive, and steps run."""

import math
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


def advance(x, length):
    for _ in range(length):
        x = step(x)
    return x


def reverse(x, parts, upstream):
    if not parts:
        return upstream * tf.cos(x)
    checkpoints, length = [x], math.prod(parts[1:])
    for _ in range(parts[0] - 1):
        checkpoints.append(advance(checkpoints[-1], length))
    while checkpoints:
        upstream = reverse(checkpoints.pop(), parts[1:], upstream)
    return upstream


def chain(parts):
    # truth: first derivative only
    @tf.custom_gradient
    def run(x):
        y = advance(tf.stop_gradient(x), math.prod(parts))
        return y, lambda upstream: reverse(x, parts, upstream)

    return run


for parts in [64], [8, 8], [4, 4, 4], [2, 2, 2, 2, 2, 2]:
    count.update(run=0, alive=0, most=0)
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = chain(parts)(x)
    gradient = tape.gradient(y, x)
    del tape, y
    print(f"{str(parts):18}  dy/dx {gradient:.6f}  steps run {count['run']:3d}"
          f"  at once {count['most']:2d}")
