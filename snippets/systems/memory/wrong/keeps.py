"""Deliberately wrong: a custom gradient that is meant to save memory."""

import weakref

import tensorflow as tf


def root(a):
    y = tf.ones_like(a)
    for _ in range(20):
        y = (2.0 * y + a / y ** 2) / 3.0
        iterates.append(weakref.ref(y))
    return y


# truth: the rule is right; a > 0
@tf.custom_gradient
def decorated(a):
    y = root(a)
    return y, lambda upstream: upstream / (3.0 * y ** 2)


for function in root, decorated:
    iterates, a = [], tf.constant(8.0)
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = function(a)
    kept = sum(each() is not None for each in iterates)
    print(f"{function.__name__:9} keeps {kept} of {len(iterates)}")
