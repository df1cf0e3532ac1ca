"""With recompute_grad around each block, fewer results are alive at once."""

import weakref

import tensorflow as tf


def steps(x, count=20):
    for _ in range(count):
        x = tf.sin(x)
        seen.append(weakref.ref(x))
        alive.append(sum(each() is not None for each in seen))
    return x


def in_blocks(x):
    for _ in range(4):
        x = tf.recompute_grad(lambda x: steps(x, 5))(x)
    return x


x = tf.constant(1.0)
for function in steps, in_blocks:
    seen, alive = [], []
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    gradient = tape.gradient(y, x)
    print(f"{function.__name__:9}  gradient {gradient:.6f}  runs {len(seen)}"
          f"  at once {max(alive)}")
