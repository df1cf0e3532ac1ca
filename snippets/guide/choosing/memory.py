"""What each way keeps for the backward pass, eagerly and in a graph."""

import weakref

import tensorflow as tf


def newton(a, like=None):
    y = tf.ones_like(a if like is None else like)
    for _ in range(20):
        y = (2.0 * y + a / y ** 2) / 3.0
        iterates.append(weakref.ref(y))
        alive.append(sum(each() is not None for each in iterates))
    return y


def with_rule(forward):
    # truth: a > 0; first derivative only
    @tf.custom_gradient
    def cube_root(a):
        y = forward(a)
        return y, lambda upstream: upstream / (3.0 * y ** 2)
    return cube_root


def record(way):
    a = tf.constant(8.0)
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = way(a)
    return tape, y, a


for name, way in {
        "no rule": newton, "a rule": with_rule(newton),
        "input stopped": with_rule(lambda a: newton(tf.stop_gradient(a))),
        "ones_like(a)": with_rule(lambda a: newton(tf.stop_gradient(a), a)),
        "recompute_grad": tf.recompute_grad(newton)}.items():
    iterates, alive = [], []
    tape, y, a = record(way)
    kept = sum(each() is not None for each in iterates)
    slope = tape.gradient(y, a)
    most, runs = max(alive), len(iterates) // 20
    with tf.Graph().as_default():
        iterates, alive = [], []
        tape, y, a = record(way)
        uses = [len(each().consumers()) for each in iterates]
        tape.gradient(y, a)
        read = sum(len(y().consumers()) > n for y, n in zip(iterates, uses))
    print(f"{name:14} slope {slope:.4f}  runs {runs}  eager: kept {kept:2d}"
          f"  at once {most:2d}  graph: read {read:2d}")
