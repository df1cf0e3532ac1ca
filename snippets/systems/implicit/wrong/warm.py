"""Deliberately wrong: a tape through a loop that starts at the solution."""

import tensorflow as tf


def solve(x, y):
    """Repeat y = x + sin(y) / 2 until it stops changing; count the steps."""
    steps, before = 0, None
    while before is None or abs(y - before) > 1e-6:
        before, y = y, x + 0.5 * tf.sin(y)
        steps += 1
    return y, steps


# truth: x.shape.rank == 0; y needs no gradient; within 1e-4; eager only
@tf.custom_gradient
def solve_with_rule(x, y):
    y, _ = solve(tf.stop_gradient(x), y)
    return y, lambda upstream: (upstream / (1.0 - 0.5 * tf.cos(y)), None)


x = tf.constant(0.1)
answer, _ = solve(x, tf.constant(0.0))
for name, start in (("start at 0", tf.zeros([])), ("start at y", answer)):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, steps = solve(x, start)
        custom = solve_with_rule(x, start)
    print(
        f"{name}  steps = {steps:2d}  y = {y:.6f}"
        f"  tape = {tape.gradient(y, x):.6f}"
        f"  custom = {tape.gradient(custom, x):.6f}"
    )
h = 1e-2
difference = (solve(x + h, answer)[0] - solve(x - h, answer)[0]) / (2.0 * h)
print(f"differences {difference:.4f}")
