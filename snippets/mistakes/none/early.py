"""Compute a gradient inside the block of the tape that differentiates it."""

import tensorflow as tf

x = tf.Variable(2.0)
for persistent in False, True:
    with tf.GradientTape(persistent=persistent) as tape:
        y = x * x
        with tape.stop_recording():
            first = tape.gradient(y, x)
        loss = y * first
    print(f"persistent={persistent}: {tape.gradient(loss, x)}")
for indented in False, True:
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x * x * x
        if indented:
            first = inner.gradient(y, x)
    if not indented:
        first = inner.gradient(y, x)
    print(f"inside the outer block={indented}: {outer.gradient(first, x)}")
