"""recompute_grad in a graph: which results the backward pass reads."""

import tensorflow as tf


def steps(x):
    for _ in range(20):
        x = tf.sin(x)
        seen.append(x)
    return x


recomputed = tf.recompute_grad(steps)
for name, function in ("plain", steps), ("recompute_grad", recomputed):
    with tf.Graph().as_default():
        seen, x = [], tf.constant(1.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        forward = [(each, len(each.consumers())) for each in seen]
        tape.gradient(y, x)
        read = sum(len(each.consumers()) > uses for each, uses in forward)
    print(f"{name:14}  runs {len(seen) // 20}"
          f"  results of the first run that are read {read}")
