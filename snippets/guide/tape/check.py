"""A tape in NumPy, compared with TensorFlow's on 200 random programs."""

import numpy as np
import tensorflow as tf

OPERATIONS = {  # name: function, gradient function
    "sin": (np.sin, lambda up, x: [up * np.cos(x)]),
    "tanh": (np.tanh, lambda up, x: [up * (1 - np.tanh(x) ** 2)]),
    "subtract": (np.subtract, lambda up, x, y: [up, -up]),
    "multiply": (np.multiply, lambda up, x, y: [up * y, up * x])}


def backpropagate(values, tape, target):
    upstream = {target: np.ones_like(values[target])}
    for name, inputs, output in reversed(tape):
        if output in upstream:
            grad = OPERATIONS[name][1]
            parts = grad(upstream[output], *(values[i] for i in inputs))
            for i, part in zip(inputs, parts):
                upstream[i] = upstream.get(i, 0.0) + part
    return upstream


rng = np.random.default_rng(0)
worst = compared = unconnected = 0
for _ in range(200):
    values, tape = [rng.normal(size=3)], []
    with tf.GradientTape() as tf_tape:
        tensors = [tf.constant(values[0])]
        tf_tape.watch(tensors[0])
        for output in range(1, 9):
            name = rng.choice(list(OPERATIONS))
            inputs = [output - 1, rng.integers(output)]
            inputs = inputs[:1] if name in ("sin", "tanh") else inputs
            tape.append((name, inputs, output))
            function = OPERATIONS[name][0]
            values.append(function(*(values[i] for i in inputs)))
            tensors.append(getattr(tf, name)(*(tensors[i] for i in inputs)))
    mine = backpropagate(values, tape, target=6)
    theirs = tf_tape.gradient(tensors[6], tensors)
    for i, gradient in enumerate(theirs):
        assert (gradient is None) == (i not in mine)
        if gradient is None:
            unconnected += 1
            continue
        scale = np.max(abs(mine[i])) + 1.0
        worst = np.maximum(worst, np.max(abs(mine[i] - gradient)) / scale)
        compared += 1
print("gradients compared:", compared, " None in both:", unconnected)
print("largest relative difference below 1e-12:", worst < 1e-12)
