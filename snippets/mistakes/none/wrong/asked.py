"""Wrong on purpose: the tape is asked for what it has not seen."""

import tensorflow as tf

x, whole = tf.constant(3.0), tf.constant(3)
early = x * x
with tf.GradientTape(persistent=True) as tape:
    unwatched = x * x
    tape.watch([x, whole])
    watched = x * x
    copy = tf.identity(x)
    with tape.stop_recording():
        stopped = x * x
    squared = whole * whole
late = x * x
for name, y in (("before the block", early), ("before watch", unwatched),
                ("stop_recording", stopped), ("after the block", late)):
    print(f"{name:17} {tape.gradient(y, x)}")
print(f"{'of a copy':17} {tape.gradient(watched, copy)}")
print(f"{'of an integer':17} {tape.gradient(squared, whole)}")
print(f"{'right':17} {tape.gradient(watched, x).numpy()}")
