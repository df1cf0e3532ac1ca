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
    "The rule that trains through sign is not the derivative of sign.",
    "The goal: a number $x$ whose sign is 1.",
    "Sign of 0 is 0, as in TensorFlow.",
    r"Backward, the slope of the sigmoid $\sigma$ stands in for the derivative of sign.",
    "The rule itself is the one of the lesson.",
    "Forward, $y$ takes the three values −1, 0 and 1.",
    r"There $y = -1$, so $\upstream{\bar y} = -2$, and $\downstream{\bar x}$ is negative.",
    r"There $y = 1$, so $\upstream{\bar y} = 0$ and $\downstream{\bar x}$ is exactly 0.",
    "Upstream comes from the true value of $y$ and ends the training by being 0.",
    "Past the flip the loss is flat, and only memory moves.",
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
    "The table asks it, with upstream 1, at seven points.",
    "Backward, the local derivative is largest at 0, where it is ¼.",
    "At 6 it is a hundredth of that, and not 0.",
    "What to see in the figure: sign jumps at 0 and is flat everywhere else.",
    "The surrogate is a bell around 0, the same on both sides, and nearly gone at 6.",
    r"Far from 0, $\local{\sigma(x)(1 - \sigma(x))} < e^{-|x|}$.",
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
    "Left of 0, each optimizer moves right.",
    "Right of 0, only memory moves.",
    "What steps along the gradient stops at once; what steps along an average of past gradients goes on.",
    "What to see in the figure: all five paths rise from −1 and cross 0.",
    "Three (SGD, Adagrad, RMSprop) turn flat on the step that crosses.",
    "Two rise on and flatten slowly: momentum beyond 2.5, Adam to about 1.",
    "Five optimizers of Keras, each with learning rate 0.1 and its other settings as they come, start at $x = -1$ and take 100 steps.",
    "The first two predictions hold, and this cell says so, or the page would not exist: before the flip each step goes right, and after it three optimizers stand still while two go on.",
    "Adam ends near 1, and that looks like success.",
    "The loss did not ask for it: it is 0 at every point right of 0, where SGD stops as well as where momentum does.",
    "Where $x$ ends tells something about the memory of the optimizer, and nothing about the goal.",
    "In the table, `flip` is the number of steps until the sign flips.",
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
    "Only a step that is lost in rounding moves nothing: gradient descent stays at −14.",
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
    "The flatter the surrogate, the longer the way to 0.",
    "One runs far past the goal, another stops at the first step past it, and gradient descent, started at −6 instead of −1, needs more than 90 times as many steps.",
    "The prediction is short by less than three steps at each start.",
    "It must be short: each step uses the slope at its beginning, where the surrogate is flatter than on the rest of the step.",
    "For gradient descent with learning rate $\\eta$ the number of steps can be predicted by hand.",
    r"Left of 0 upstream is −2, so each step adds $2 \eta \, \local{\sigma(x)(1 - \sigma(x))}$.",
    "While the steps are short, $x$ as a function of the number of steps $n$ follows the differential equation",
    "The reciprocal of the local derivative is a sum that one can integrate:",
    "Integrated from the start $x_0 < 0$ to 0, it gives the number of steps:",
    "For a distant start the hyperbolic sine is about half of the exponential function: each further unit costs $e$ times as many steps.",
    "With the sigmoid, gradient descent pays exponentially for distance.",
    "The tails of a surrogate decide where training can start.",
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
    "An optimizer whose step is proportional to the gradient needs exponentially many steps; one that divides by the size of the gradient, and adds little to it before, does not.",
    "What to see in the figure, whose vertical axis is logarithmic: the counts of SGD lie on the predicted curve, which climbs like a straight line, that is, exponentially.",
    "RMSprop and Adam stay below 50 steps.",
    "From −6, Adagrad and momentum lie between.",
    "This lab predicts all three, and then counts.",
    "Start near 0, or choose an optimizer that divides by the size of the gradient, and look at what it adds before it divides.",
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
    "One result needs a closer look: Adagrad divides by the size of past gradients, and still needs hundreds of steps from −6.",
    "It divides by the root of a sum of squared gradients, and in Keras that sum starts at 0.1.",
    "The square of the gradient at −6 is 0.000024, so for a long time the division does not see the gradient.",
    "If that is the reason, a sum that starts at 0 must need far fewer steps.",
    "Less than a third of the steps: that was most of it.",
    "The rest is that the sum never forgets: if all gradients were equal, a factor of one over the root of $n$ would still shorten step $n$.",
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
    "The same learning rate does not make it a fair race; what counts is how each of them moves.",
    "That is the decision; what the optimizer receives follows from it:",
    "The local derivative comes from the surrogate and sets the pace, and nothing in the loss chose it.",
    "Upstream says whether, local says how fast.",
    "The lab had one weight, no noise and one learning rate.",
    "It shows how these optimizers move through sign; it does not rank them.",
)
advice(
    "You need a gradient for sign and training through sign, which take the first steps slowly.",
    "The end of a path is no result.",
    "Compare the steps until the flip, not the last $x$.",
)
pointer(
    "It needs TensorFlow and Matplotlib.",
    "To run the lab yourself, download sign_training.py: Jupyter, with Jupytext, opens it as a notebook, and Python runs it as a program.",
    "The first cell also says how figures are shown: as SVG, in the text color of the page, with a name for screen readers.",
    "It prints how far.",
)
