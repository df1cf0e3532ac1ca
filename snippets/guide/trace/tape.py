"""The same backward pass without probes: one call for all steps."""

import tensorflow as tf

c = tf.constant([3.0, 4.0])
x = tf.constant([[1.0, 2.0], [2.0, 4.0]])
W = tf.Variable([[1.0, 0.0], [1.0, 2.0]], name="W")
b = tf.Variable(1.0, name="b")
with tf.GradientTape() as tape:
    h = x @ W
    u = h - c
    s = tf.reduce_sum(u * u, axis=-1)
    r = tf.sqrt(s)
    loss = b * tf.reduce_mean(r)


def is_bad(tensor):
    return not tf.reduce_all(tf.math.is_finite(tensor))


steps = {"loss": loss, "r": r, "s": s, "u": u, "h": h, "W": W}
upstream = tape.gradient(loss, steps)
for name, value in steps.items():
    print(f"{name:4}  value bad {is_bad(value)!s:5}"
          f"  upstream bad {is_bad(upstream[name])!s:5}",
          str(upstream[name].numpy()).replace("\n", ""))

names = list(steps)
first = next(name for name in names if is_bad(upstream[name]))
used_by = names[names.index(first) - 1]
print(f"first bad upstream: {first}; look at the step that made {used_by}")
print("on the tape:", [v.name for v in tape.watched_variables()])
