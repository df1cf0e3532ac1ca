"""Truncated backpropagation through time: stop the state every k steps."""

import tensorflow as tf

inputs = tf.constant([1.0, 0.5, -1.0, 0.3, 0.8, -0.2])


def scanned(w, k):
    def step(state, step_input):
        i, x = step_input
        stopped = tf.stop_gradient(state)
        state = tf.where(i % k == 0, stopped, state)
        return tf.tanh(w * state + x)

    steps = tf.range(len(inputs)), inputs
    return tf.scan(step, steps, initializer=tf.constant(0.0))[-1]


def chunked(w, k):
    state = tf.constant(0.0)
    for i in range(len(inputs)):
        if i % k == 0:
            state = tf.stop_gradient(state)
        state = tf.tanh(w * state + inputs[i])
    return state


@tf.function
def in_graph(w, k):
    with tf.GradientTape() as tape:
        tape.watch(w)
        y = scanned(w, k)
    return y, tape.gradient(y, w)


w = tf.constant(0.9)
for k in 6, 3, 1:
    with tf.GradientTape() as tape:
        tape.watch(w)
        y = chunked(w, k)
    print(f"k = {k}  loop: value {y:.4f}  gradient {tape.gradient(y, w):.4f}",
          " scan: value {:.4f}  gradient {:.4f}".format(*in_graph(w, k)))
