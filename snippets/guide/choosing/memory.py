"""What each choice keeps for the backward pass, eagerly and in a graph."""

import weakref

import tensorflow as tf


def newton(a, like=None):
    y = tf.ones_like(a if like is None else like)
    for _ in range(20):
        y = (2.0 * y + a / y ** 2) / 3.0
        iterates.append(weakref.ref(y))
        alive.append(sum(each() is not None for each in iterates[-40:]))
    return y


def with_custom(forward):
    # truth: a > 0; first derivative only
    @tf.custom_gradient
    def cube_root(a):
        y = forward(a)
        return y, lambda upstream: upstream / (3.0 * y ** 2)
    return cube_root


def record(choice):
    a = tf.constant(8.0)
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = choice(a)
    return tape, y, a


# truth: a > 0.1
for name, choice in {
        "no custom grad": newton, "custom gradient": with_custom(newton),
        "input stopped": with_custom(lambda a: newton(tf.stop_gradient(a))),
        "ones_like(a)": with_custom(lambda a: newton(tf.stop_gradient(a), a)),
        "recompute_grad": tf.recompute_grad(newton)}.items():
    iterates, alive = [], []
    tape, y, a = record(choice)
    kept = sum(each() is not None for each in iterates)
    gradient = tape.gradient(y, a)
    most, runs = max(alive), len(iterates) // 20
    with tf.Graph().as_default():
        iterates, alive = [], []
        tape, y, a = record(choice)
        uses = [len(each().consumers()) for each in iterates]
        tape.gradient(y, a)
        read = sum(len(y().consumers()) > n for y, n in zip(iterates, uses))
    print(f"{name:15} gradient {gradient:.4f}  runs {runs}"
          f"  eager: kept {kept:2d}  at once {most:2d}  graph: read {read:2d}")
