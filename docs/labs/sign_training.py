# %% [markdown]
# # Training through sign, as an experiment
#
# The gradient function that trains through sign isn't the derivative of sign. So
# what does an optimizer do with it? One runs far past the goal, another stops at
# the first step past it, and gradient descent, started at −6 instead of −1,
# needs more than 90 times as many steps. This lab predicts all three, and then
# counts.
#
# You need [a gradient for sign](../../lessons/sign/) and
# [training through sign](../../lessons/training/), which take the first steps
# slowly. To run the lab yourself, download
# [sign_training.py](sign_training.py): Jupyter, with Jupytext, opens it as a
# notebook, and Python runs it as a program. It needs TensorFlow and
# Matplotlib.
# $\def\upstream#1{#1}\def\local#1{#1}\def\downstream#1{#1}\def\d{\mathrm{d}}$
#
# ## Hypothesis
#
# The goal: a number $x$ whose sign is 1.
#
# $$
# y = \operatorname{sign}(x), \qquad L = \tfrac{1}{2} (y - 1)^2, \qquad
# \tilde y = \sigma(x)
# $$
#
# The sign of 0 is 0, as in TensorFlow.
#
# In the backward pass, the derivative of the sigmoid $\sigma$ replaces the
# derivative of sign. This is a choice, and what the optimizer receives follows
# from it:
#
# $$
# \begin{aligned}
# \d L &:= \upstream{\bar y} \, \d \tilde y, \qquad
# \upstream{\bar y} = y - 1, \\
# \downstream{\bar x} &= \upstream{\bar y} \cdot
# \local{\sigma(x) \bigl(1 - \sigma(x)\bigr)}
# \end{aligned}
# $$
#
# 1. **Left of 0, each optimizer below moves right.** There $y = -1$, so
#    $\upstream{\bar y} = -2$, and $\downstream{\bar x}$ is negative. But a step
#    can be lost in rounding: gradient descent that starts at −14 stays there.
# 2. **Right of 0, only the memory of an optimizer moves $x$.** There $y = 1$, so
#    $\upstream{\bar y} = 0$ and $\downstream{\bar x}$ is exactly 0. An optimizer
#    that steps along the gradient stops at once, and one that steps along an
#    average of past gradients goes on.
# 3. **The flatter the surrogate, the more steps to 0.** Far from 0,
#    $\local{\sigma(x)(1 - \sigma(x))} < e^{-|x|}$. An optimizer whose step is
#    proportional to the gradient needs exponentially many steps. One that divides
#    by the size of the gradient, and adds little to it before, doesn't.
#
# ## Set-up
#
# The first cell also defines how figures are shown: as SVG, in the text color of
# the page, with a name for screen readers.

# %% tags=["setup"]
import io
import re
import sys

import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf

assert tf.sign(0.0) == 0.0

# A notebook replaces these colors by those of the page around it.
INK, LOCAL, MOVING = "#767676", "#3b82d6", "#ad62b5"
THEME = {INK: "currentColor", LOCAL: f"var(--local, {LOCAL})",
         MOVING: f"var(--accent, {MOVING})"}
plt.rcParams.update({
    "figure.figsize": (4.8, 3.4), "figure.constrained_layout.use": True,
    "font.size": 12, "svg.fonttype": "none", "legend.frameon": False,
    "axes.spines.top": False, "axes.spines.right": False,
    **dict.fromkeys(["text.color", "axes.edgecolor", "axes.labelcolor",
                     "xtick.color", "ytick.color"], INK)})


def show(figure, name):
    """Show a figure; in a notebook as SVG that screen readers call `name`."""
    if "ipykernel" not in sys.modules:
        plt.show()
        return
    from IPython.display import HTML, display
    file = io.StringIO()
    with plt.rc_context({"svg.hashsalt": name}):
        figure.savefig(file, format="svg", transparent=True,
                       metadata={"Date": None})
    plt.close(figure)
    # Inside a page, a header, a style sheet for all elements and ids that
    # repeat from figure to figure are wrong.
    svg = re.sub(r'(?s)^.*?(?=<svg)|<metadata>.*?</metadata>'
                 r'|<style.*?</style>|(?<=<g) id="[^"]*"', "", file.getvalue())
    for color, of_the_page in THEME.items():
        svg = svg.replace(color, of_the_page)
    display(HTML(svg.replace("<svg", (
        f'<svg role="img" aria-label="{name}" stroke-linejoin="round"'
        ' style="max-width: 100%; height: auto"'), 1)))

# %% [markdown]
# The custom gradient is the one of the lesson. The table shows its value, and its
# gradient for the upstream gradient 1, at seven points.


# %%
@tf.custom_gradient
def sign(x):
    def grad(upstream):
        s = tf.sigmoid(x)
        local = s * (1.0 - s)
        downstream = upstream * local
        return downstream

    return tf.sign(x), grad


def value_and_slope(points):
    x = tf.constant(points, tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = sign(x)
    return y.numpy(), tape.gradient(y, x).numpy()


points = [-6, -3, -1, 0, 1, 3, 6]
print("  x     y    local")
for x, y, local in zip(points, *value_and_slope(points)):
    print(f"{x:3}  {y:4}  {local:.5f}")

# %% [markdown]
# In the forward pass, $y$ takes the three values −1, 0 and 1. In the backward
# pass, the local derivative is largest at 0, where it is ¼. At 6 it is a
# hundredth of that, and not 0.
#
# In the figure, sign has a discontinuity at 0 and is flat everywhere else. The
# derivative of the surrogate is a bell around 0, the same on both sides, and
# nearly 0 at 6.

# %%
grid = np.linspace(-8, 8, 161)
_, slope = value_and_slope(grid)

figure, (above, below) = plt.subplots(2, 1, sharex=True)
above.plot([-8, 0], [-1, -1], [0, 8], [1, 1], color=INK)
above.plot([0], [0], "o", color=INK)
above.set_ylabel("y")
below.plot(grid, slope, color=LOCAL)
below.set_ylabel("local")
below.set_ylim(0, 0.27)
below.set_xlabel("x")
below.set_xticks([-6, -3, 0, 3, 6])
show(figure, "Above, sign of x, a step at 0. Below, its surrogate derivative,"
             " a bell with height 0.25 at 0, close to 0 beyond 6.")

# %% [markdown]
# ## Result 1: where each optimizer stops
#
# Five optimizers of Keras, each with learning rate 0.1 and its other settings at
# their defaults (except `momentum`), start at $x = -1$ and take 100 steps. The same
# learning rate doesn't make this a fair race. What counts is how each of them
# moves. In the table, `flip` is the number of steps until the sign flips.


# %%
OPTIMIZERS = {
    "SGD": lambda: tf.keras.optimizers.SGD(0.1),
    "momentum": lambda: tf.keras.optimizers.SGD(0.1, momentum=0.9),
    "Adagrad": lambda: tf.keras.optimizers.Adagrad(0.1),
    "RMSprop": lambda: tf.keras.optimizers.RMSprop(0.1),
    "Adam": lambda: tf.keras.optimizers.Adam(0.1),
}


def steps_from(start, optimizer):
    """Yield x before the first step, and after each further step."""
    x = tf.Variable(float(start))
    while True:
        yield x.numpy()
        with tf.GradientTape() as tape:
            y = sign(x)
            loss = 0.5 * (y - 1.0) ** 2
        optimizer.apply([tape.gradient(loss, x)], [x])


paths, flips = {}, {}
print("optimizer  flip  x there  x at end")
for name, optimizer in OPTIMIZERS.items():
    steps = steps_from(-1, optimizer())
    paths[name] = path = np.array([next(steps) for _ in range(101)])
    flips[name] = flip = int(np.argmax(path > 0))
    print(f"{name:9}  {flip:4}  {path[flip]:7.3f}  {path[-1]:8.3f}")

# %% [markdown]
# In the figure, all five paths rise from −1 and cross 0. Three of them (SGD,
# Adagrad, RMSprop) are flat after the step that crosses. The other two rise on and
# flatten slowly: momentum beyond 2.5, Adam to about 1.

# %%
DASHES = dict(zip(OPTIMIZERS, ["-", "-", "--", ":", "--"]))
COASTING = ["momentum", "Adam"]
PLACES = {"momentum": 2.66, "Adam": 1.09, "RMSprop": 0.2, "SGD": -0.3,
          "Adagrad": -0.58}

figure, axes = plt.subplots()
axes.axhline(0, color=INK, linewidth=0.6)
for name, path in paths.items():
    color = MOVING if name in COASTING else INK
    axes.plot(path, DASHES[name], color=color)
    axes.text(100, PLACES[name], name, color=color, ha="right")
axes.set_xlabel("step")
axes.set_ylabel("x")
rest = ", ".join(f"{name} at {path[-1]:.2f}" for name, path in paths.items())
show(figure, f"x over 100 steps for five optimizers, which end: {rest}.")

# %% [markdown]
# The next cell asserts the first two predictions: before the flip each step goes
# right, and after it three optimizers stand still while two go on. The cell prints
# how far.

# %%
for name, path in paths.items():
    moves = np.diff(path)
    flip = flips[name]
    assert (moves[:flip] > 0).all()
    assert (moves[flip:] > 0).any() == (name in COASTING)
    assert (moves[flip:] >= 0).all()
    print(f"{name:9} after the flip: {path[-1] - path[flip]:.3f}")
assert paths["momentum"][-1] > 2.5 and abs(paths["Adam"][-1] - 1) < 0.02

# %% [markdown]
# Adam ends near 1, and that looks like success. But nothing in the loss leads
# there: the loss is 0 at every point right of 0, where SGD stops as well as where
# momentum stops. So the last $x$ depends on the memory of the optimizer, not on the
# goal.
#
# ## Result 2: how many steps from further away
#
# For gradient descent with learning rate $\eta$ you can predict the number of
# steps by hand. Left of 0 the upstream gradient is −2, so each step adds
# $2 \eta \, \local{\sigma(x)(1 - \sigma(x))}$.
# While the steps are short, $x$ as a function of the number of steps $n$
# nearly follows the differential equation
#
# $$
# % definition: the differential equation
# \frac{\d x}{\d n} = 2 \eta \, \local{\sigma(x) \bigl(1 - \sigma(x)\bigr)}
# $$
#
# The reciprocal of the local derivative is a sum that you can integrate:
#
# $$
# \begin{aligned}
# \frac{1}{\local{\sigma(x) \bigl(1 - \sigma(x)\bigr)}}
# &= (1 + e^{-x})(1 + e^{x}) \\
# &= 2 + e^{x} + e^{-x}
# \end{aligned}
# $$
#
# The integral from the start $x_0 < 0$ to 0 gives the number of steps:
#
# $$
# \begin{aligned}
# n &\approx \frac{1}{2 \eta} \int_{x_0}^{0} (2 + e^{x} + e^{-x}) \, \d x \\
# &= \frac{|x_0| + \sinh |x_0|}{\eta}
# \end{aligned}
# $$
#
# For a distant start the hyperbolic sine is about half of the exponential
# function, so each further unit costs about $e$ times as many steps.

# %%
STARTS = [-1, -3, -6]


def predicted(start, rate=0.1):
    return (abs(start) + np.sinh(abs(start))) / rate


def count(start, optimizer):
    """The number of steps until the sign flips."""
    return next(n for n, x in enumerate(steps_from(start, optimizer)) if x > 0)


counts = {name: [count(start, optimizer()) for start in STARTS]
          for name, optimizer in OPTIMIZERS.items()}

print("steps until the sign flips")
print("from x =      ", *(f"{start:6}" for start in STARTS))
print("SGD, predicted", *(f"{predicted(s):6.1f}" for s in STARTS))
for name, row in counts.items():
    print(f"{name:14}", *(f"{n:6}" for n in row))

for start, n in zip(STARTS, counts["SGD"]):
    assert 0 < n - predicted(start) < 3
assert counts["SGD"][-1] > 90 * counts["SGD"][0]
assert max(counts["RMSprop"] + counts["Adam"]) < 50

# %% [markdown]
# The prediction is short by less than three steps at each of these starts, because
# each step uses the derivative at its beginning, where the surrogate is flatter
# than on the rest of the step.
#
# The vertical axis of the figure is logarithmic. The counts of SGD lie on the
# predicted curve, which climbs like a straight line, that is, exponentially.
# RMSprop and Adam stay below 50 steps. From −6, Adagrad and momentum lie between.

# %%
MARKS = dict(zip(OPTIMIZERS, "osD^v"))
ALIGN = {"Adam": "bottom", "RMSprop": "top"}
distance = np.linspace(0.8, 6.4, 57)

figure, axes = plt.subplots()
axes.plot(distance, predicted(distance), color=LOCAL)
axes.text(3.6, 400, "predicted", color=LOCAL, ha="right")
for name, row in counts.items():
    color = MOVING if name in COASTING else INK
    axes.plot(np.abs(STARTS), row, MARKS[name], color=color)
    axes.text(6.25, row[-1], name, color=color, va=ALIGN.get(name, "center"))
axes.set_xlim(0.5, 8.2)
axes.set_yscale("log")
axes.set_yticks([10, 100, 1000], ["10", "100", "1000"])
axes.set_xticks([1, 3, 6])
axes.set_xlabel("distance of the start from 0")
axes.set_ylabel("steps until the sign flips")
far = ", ".join(f"{name} {row[-1]}" for name, row in counts.items())
show(figure, "Steps until the flip over the distance of the start, log scale."
             f" SGD follows the predicted curve. From -6: {far}.")

# %% [markdown]
# One result needs a closer look: Adagrad divides by the size of past gradients, and
# still needs hundreds of steps from −6. It divides by the root of a sum of squared
# gradients, and in Keras that sum starts at 0.1. The square of the gradient at −6 is
# 0.000024, so for a long time the gradients hardly change the sum. If this is the
# reason, Adagrad needs far fewer steps with a sum that starts at 0.

# %%
from_zero = count(-6, tf.keras.optimizers.Adagrad(
    0.1, initial_accumulator_value=0.0))

print(f"Adagrad from -6, sum starts at 0.1: {counts['Adagrad'][-1]} steps")
print(f"Adagrad from -6, sum starts at 0.0: {from_zero} steps")
assert 3 * from_zero < counts["Adagrad"][-1]

# %% [markdown]
# It needs less than a third of the steps, so the start of the sum was most of the
# reason. The rest is that the sum only grows: if all gradients were equal, a factor
# of one over the root of $n$ would still shorten step $n$.
#
# ## What we learn
#
# - **The upstream gradient decides whether $x$ moves, the local derivative how
#   fast.** The upstream gradient comes from the true value of $y$, and ends the
#   training by being 0. The local derivative comes from the surrogate and sets the
#   pace, whatever the loss is.
# - **The tails of a surrogate decide where training can start.** With the
#   sigmoid, gradient descent pays exponentially for distance. Start near 0,
#   or choose an optimizer that divides by the size of the gradient, and look
#   at what it adds before it divides.
# - **The end of a path isn't a result.** After the flip the loss is flat, and
#   only the memory of an optimizer moves $x$. Compare the steps until the flip, not
#   the last $x$.
#
# The lab has one weight, no noise and one learning rate. It shows how these
# optimizers move through sign. It doesn't rank them.
