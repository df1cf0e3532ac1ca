"""What the lab on training through sign says in words.

Gradient descent is followed in NumPy, step by step in float32, since thousands of
steps are; the other optimizers are those of Keras.
"""

import ast
import functools
import itertools
from pathlib import Path

from truth.statements.tries import *

LAB = (Path(__file__).parents[3] / "docs/labs/sign_training.py").read_text("utf-8")
NAMES = {"sign", "value_and_slope", "OPTIMIZERS", "steps_from", "predicted", "count"}


def defined():
    """What the lab defines; none of its cells runs."""
    kept = [
        each
        for each in ast.parse(LAB).body
        if (isinstance(each, ast.FunctionDef) and each.name in NAMES)
        or (isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) in NAMES)
    ]
    assert len(kept) == len(NAMES)
    names = {"tf": tf, "np": np}
    exec(compile(ast.Module(kept, []), "<lab>", "exec"), names)
    return names


LAB_NAMES = defined()
OPTIMIZERS, predicted = LAB_NAMES["OPTIMIZERS"], LAB_NAMES["predicted"]
COASTING = ["momentum", "Adam"]


def slope(x):
    e = np.exp(-abs(np.float64(x)))
    return e / (1 + e) ** 2


@functools.cache
def path(name, start, steps):
    walk = LAB_NAMES["steps_from"](start, OPTIMIZERS[name]())
    return np.array([*itertools.islice(walk, steps + 1)])


def flip(name):
    return int(np.argmax(path(name, -1, 100) > 0))


@functools.cache
def descent(start, rate=0.1, most=30_000):
    """How many steps gradient descent takes until the sign flips."""
    x, n = np.float32(start), 0
    while x <= 0 and n < most:
        e = np.exp(x, dtype=np.float32)
        upstream = np.float32(-2 if x < 0 else -1)
        x = x - np.float32(rate) * upstream * (e / (1 + e) ** 2).astype(np.float32)
        n += 1
    return n


def from_zero():
    return tf.keras.optimizers.Adagrad(0.1, initial_accumulator_value=0.0)


@functools.cache
def counted(name, start):
    return LAB_NAMES["count"](start, OPTIMIZERS.get(name, from_zero)())


@says(
    "The rule that …",
    "The goal: a …",
    "Sign of 0 …",
    "Backward, the slope …",
    "The rule itself …",
    "Forward, $y$ takes …",
    "There $y = -1$, …",
    "There $y = 1$, …",
    "Upstream comes from …",
    "Past the flip …",
)
@over(x=numbers(-80, 80))
def test_the_rule(x):
    seen = []

    def loss(y):
        spied = tf.custom_gradient(lambda y: (y, lambda u: seen.append(u) or u))
        return 0.5 * (spied(y) - 1.0) ** 2

    sign = LAB_NAMES["sign"]
    y = sign(tf.constant(x))
    assert same(y, np.sign(np.float32(x)) if abs(x) > 1e-37 else y) and y in (-1, 0, 1)
    assert same(sign(tf.constant(0.0)), 0.0)
    found = EAGER.gradient(sign, x, loss)
    assert seen[0] == y - 1 and same(tf.sign(0.0), 0.0)
    assert abs(found - seen[0] * slope(x)) < 1e-5
    assert (found < 0) == (y < 1 and slope(x) > 0) and (y < 1 or found == 0)
    assert same(EAGER.gradient(tf.sign, x), 0.0) and (
        x > 16 or EAGER.gradient(sign, x) > 0
    )


@says(
    "The table asks …",
    "Backward, the local …",
    "At 6 it …",
    "What to see in the figure: sign …",
    "The surrogate is …",
    "Far from 0, …",
)
@over(x=numbers(-80, 80))
def test_the_surrogate(x):
    y, local = LAB_NAMES["value_and_slope"]([x, -x, 0.0, 6.0])
    assert local[2] == 0.25 >= local[0] and y[2] == 0
    assert abs(local[0] - local[1]) < 1e-6 and abs(local[0] - slope(x)) < 1e-6
    assert 0.009 < local[3] / local[2] < 0.011
    assert slope(x) < np.exp(-abs(np.float64(x))) or abs(x) > 30
    assert "points = [-6, -3, -1, 0, 1, 3, 6]" in LAB


@says(
    "Left of 0, …",
    "Right of 0, …",
    "What steps along …",
    "What to see in the figure: all …",
    "Three (SGD, Adagrad, …",
    "Two rise on …",
    "Five optimizers of …",
    "The first two …",
    "Adam ends near …",
    "The loss did …",
    "Where $x$ ends …",
    "In the table, …",
)
@over(name=[*OPTIMIZERS])
def test_where_each_stops(name):
    steps = path(name, -1, 100)
    moves, at = np.diff(steps), flip(name)
    assert len(OPTIMIZERS) == 5 and steps[0] == -1 and steps[at - 1] <= 0 < steps[at]
    assert (moves[:at] > 0).all() and (moves[at:] >= 0).all()
    assert (moves[at:] > 0).any() == (name in COASTING)
    assert OPTIMIZERS[name]().learning_rate == np.float32(0.1)
    ends = path("momentum", -1, 100)[-1], path("Adam", -1, 100)[-1]
    assert ends[0] > 2.5 and abs(ends[1] - 1) < 0.02
    assert all(0.5 * (np.sign(path(n, -1, 100)[-1]) - 1) ** 2 == 0 for n in OPTIMIZERS)


@says(
    "Only a step …",
    was="'every optimizer moves right': SGD from -14 never moves",
)
@over(start=numbers(-20, -0.1, around=[-14]))
def test_a_step_that_is_lost(start):
    before, after = path("SGD", start, 1)
    step = 0.2 * slope(start)
    assert (after > before) == (
        np.float32(start) + np.float32(step) > np.float32(start)
    )
    assert {*path("SGD", -14, 3)} == {-14.0} and path("SGD", -12, 1)[1] > -12


@says(
    "The flatter the …",
    "One runs far …",
    "The prediction is …",
    "It must be …",
    "For gradient descent …",
    "Left of 0 upstream …",
    "While the steps …",
    "The reciprocal of …",
    "Integrated from the …",
    "For a distant …",
    "With the sigmoid, …",
    "The tails of …",
)
@over(start=numbers(-6, -1), cases=6)
def test_the_prediction(start):
    assert descent(-6) > 90 * descent(-1)
    for each in (-1, -3, -6, start):
        assert 0 < descent(each) - predicted(each) < 3
    assert descent(-3) == counted("SGD", -3)
    for far in (6, 8, 10):
        assert abs(predicted(-far - 1) / predicted(-far) / np.e - 1) < 0.05
    points = np.linspace(start, 0, 20_001)
    area = np.sum(1 / slope((points[1:] + points[:-1]) / 2)) * -start / 20_000
    assert abs(area / 0.2 / predicted(start) - 1) < 1e-4


@says(
    "An optimizer whose …",
    "What to see in the figure, …",
    "RMSprop and Adam …",
    "From −6, Adagrad …",
    "This lab predicts …",
    "Start near 0, …",
    was="'one that divides by the size of the gradient does not': Adam adds 1e-7, and from -20 is slow",
)
@over(name=["RMSprop", "Adam"])
def test_further_away(name):
    assert max(counted(name, start) for start in (-1, -3, -6)) < 50
    between = [counted(other, -6) for other in ("Adagrad", "momentum")]
    assert max(between) < predicted(-6) and min(between) > 50
    slow = np.diff(path("Adam", -20, 1))[0]
    assert slow < 0.01 < 0.09 < np.diff(path("Adam", -6, 1))[0]
    assert 'set_yscale("log")' in LAB


@says(
    "One result needs …",
    "It divides by …",
    "The square of …",
    "If that is …",
    "Less than a …",
    "The rest is …",
)
@over(gradient=numbers(0.1, 9), cases=6)
def test_adagrad(gradient):
    assert OPTIMIZERS["Adagrad"]().initial_accumulator_value == 0.1
    assert abs((2 * slope(-6)) ** 2 - 0.000024) < 5e-7
    assert 3 * counted("from zero", -6) < counted("Adagrad", -6) < 1000
    assert counted("Adagrad", -6) > 200
    x, optimizer = tf.Variable(0.0), from_zero()
    before = 0.0
    for n in range(1, 5):
        optimizer.apply([tf.constant(gradient)], [x])
        assert np.isclose(before - float(x), 0.1 / np.sqrt(n), 1e-3)
        before = float(x)


definition(
    "The same learning …",
    "That is the …",
    "The local derivative …",
    "Upstream says whether, …",
    "The lab had …",
    "It shows how …",
)
advice(
    "You need a …",
    "The end of …",
    "Compare the steps …",
)
pointer(
    "It needs TensorFlow …",
    "To run the …",
    "The first cell …",
    "It prints how far.",
)
