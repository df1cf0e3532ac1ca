"""A gradient function that keeps little and can be differentiated twice."""

import weakref

import tensorflow as tf

iterates = []


# truth: a > 0
@tf.custom_gradient
def cube_root(a):
    a = tf.identity(a)
    fixed = tf.stop_gradient(a)  # so that the tape keeps no iterate
    y = tf.ones_like(fixed)
    for _ in range(20):
        y = (2.0 * y + fixed / y ** 2) / 3.0
        iterates.append(weakref.ref(y))

    def grad(upstream):
        local = 1.0 / (3.0 * cube_root(a) ** 2)
        downstream = upstream * local
        tf.print("backward a =", a, " upstream =", upstream,
                 " local =", local, " downstream =", downstream)
        return downstream

    return y, grad


a = tf.constant(8.0)
with tf.GradientTape() as outer:
    outer.watch(a)
    with tf.GradientTape() as inner:
        inner.watch(a)
        y = cube_root(a)
    kept = sum(iterate() is not None for iterate in iterates)
    print(f"y = {y:.6f}  iterates {len(iterates)}  kept {kept}")
    first = inner.gradient(y, a)
second = outer.gradient(first, a)
print(f"first  = {first:.6f}  by hand {8.0 ** (-2 / 3) / 3:.6f}")
print(f"second = {second:.6f}  by hand {-8.0 ** (-5 / 3) * 2 / 9:.6f}"
      f"  steps in all {len(iterates)}")
