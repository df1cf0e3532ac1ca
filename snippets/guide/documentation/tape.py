"""Test documented statements about tf.GradientTape."""

import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
    print("inside the context:", tape.gradient(y, x).numpy())

v = tf.Variable(3.0)
with tf.GradientTape() as tape:
    tape.watch(v)
print("target is a variable:", tape.gradient(v, v).numpy())

for watch in (False, True):
    for stop in (False, True):
        with tf.GradientTape() as tape:
            if watch:
                tape.watch(x)
            if stop:
                with tape.stop_recording():
                    y = x ** 2
            else:
                y = x ** 2
        print(f"watch {watch!s:5}  stop_recording {stop!s:5} ",
              tape.gradient(y, x))
