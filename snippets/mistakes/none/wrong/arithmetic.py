"""Deliberately wrong: the update computes with a gradient of None."""

import tensorflow as tf

w, unused = tf.Variable(1.0), tf.Variable(2.0)


def gradient():
    with tf.GradientTape() as tape:
        loss = w * w
    return tape.gradient(loss, unused)


updates = {
    "unused - g": lambda g: unused - g,
    "g - unused": lambda g: g - unused,
    "tf.square(g)": lambda g: tf.square(g),
    "tf.norm(g)": lambda g: tf.norm(g),
    "assign_sub(g)": lambda g: unused.assign_sub(g),
    "0.1 * g": lambda g: 0.1 * g}
for name, update in updates.items():
    def step(update=update):
        return update(gradient())

    for run in step, tf.function(step, autograph=False):
        try:
            run()
        except Exception as error:
            place = "eager" if run is step else "graph"
            print(f"{place} {name}: {type(error).__name__}: {error}")
