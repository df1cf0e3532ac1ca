"""The claims of docs/guide/build_a_tape.md."""

import numpy as np
import tensorflow as tf

from tests.harness import contrast, program, same

STEPS = ["add", "sub", "mul", "sin", "cos", "square", "both"]


def custom(lib):
    """Define two custom gradients, one of them with two inputs and two outputs."""

    @lib.custom_gradient
    def square(x):
        return x * x, lambda upstream: upstream * 2.0 * x

    @lib.custom_gradient
    def both(a, b):
        def grad(of_sum, of_product):
            return of_sum + of_product * b, of_sum + of_product * a

        return (a + b, a * b), grad

    return square, both


def run(lib, steps, values):
    """Append the results of the steps of a random program to its values."""
    square, both = custom(lib)
    for name, first, second in steps:
        a = values[-1 if first < 0.5 else int(first * len(values))]
        b = values[int(second * len(values))]
        if name == "both":
            values += both(a, b)
        elif name in ("add", "sub", "mul"):
            values.append({"add": a + b, "sub": a - b, "mul": a * b}[name])
        else:
            values.append({"sin": lib.sin, "cos": lib.cos, "square": square}[name](a))


def gradients(lib, steps, inputs, at):
    """Return the first and second derivatives for each value of a random program. Only
    the first input is watched."""
    x, values = inputs[0], [*inputs]
    with lib.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with lib.GradientTape() as inner:
            inner.watch(x)
            run(lib, steps, values)
        first = inner.gradient(values[at], values)
    if first[0] is None:
        return floats(first), []
    return floats(first), floats([outer.gradient(first[0], v) for v in values])


def floats(values):
    """Convert values of the engine or tensors to floats, and keep ``None``."""
    return [None if value is None else float(value) for value in values]


def test_agrees():
    engine = program("guide/build_a_tape/build_a_tape.py")
    rng = np.random.default_rng(0)
    firsts, seconds = [], []
    for _ in range(100):
        steps = [(rng.choice(STEPS), *rng.random(2)) for _ in range(7)]
        numbers, at = rng.uniform(-1.5, 1.5, 2), -rng.integers(1, 4)
        values = [engine.constant(number) for number in numbers]
        tensors = [tf.constant(number, tf.float64) for number in numbers]
        first, second = gradients(engine, steps, values, at)
        of_tf = gradients(tf, steps, tensors, at)
        assert same([first, second], of_tf, 1e-9)  # None equals only None
        firsts, seconds = firsts + first, seconds + second
    for derivatives in firsts, seconds:
        assert sum(number not in (0, 1, None) for number in derivatives) > 100
    with contrast("return 0 for a value that the target doesn't depend on"):
        assert firsts.count(None) > 100 and seconds.count(None) > 100
    with contrast("return None wherever a derivative is 0"):
        assert 0.0 in firsts and 0.0 in seconds
