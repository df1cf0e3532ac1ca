"""Wrong on purpose: a tape that answered inside its own block."""

import tensorflow as tf

x = tf.Variable(2.0)


def run(persistent):
    with tf.GradientTape(persistent=persistent) as tape:
        y = x * x
        with tape.stop_recording():
            slope = tape.gradient(y, x)
        L = y * slope
    return tape.gradient(L, x)


print("persistent     dL/dx =", run(True).numpy())
print("not persistent dL/dx =", run(False))

with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = x * x * x
first = inner.gradient(y, x)
print("first", first.numpy())
print("second, asked after both blocks:", outer.gradient(first, x))

with tf.GradientTape() as tape:
    y = x * x * x
    first = tape.gradient(y, x)
    try:
        tape.gradient(first, x)
    except RuntimeError as error:
        print("RuntimeError:", error)
