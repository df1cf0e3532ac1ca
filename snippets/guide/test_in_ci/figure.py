"""What a right and a wrong gradient return, beside finite differences."""

import numpy as np
import tensorflow as tf
from matplotlib import pyplot as plt

plt.rcParams.update({
    "svg.hashsalt": "test_in_ci figure", "font.size": 12,
    "axes.titlesize": 12, "axes.titlelocation": "left",
    "axes.spines.top": False, "axes.spines.right": False})


def unit(x):
    return x / tf.norm(x, axis=-1, keepdims=True)


def compare(x, upstream):
    """Rows of finite difference, right and wrong gradient."""
    x, upstream = tf.constant(x), tf.constant(upstream)
    (right,), (differences,) = tf.test.compute_gradient(
        lambda x: tf.reduce_sum(upstream * unit(x)), [x])
    wrong = upstream / tf.norm(x, axis=-1, keepdims=True)
    return np.stack([differences[0], right[0], np.ravel(wrong)], 1)


rng = np.random.default_rng(0)
pairs = [rng.normal(size=[2, 1, 3]) for _ in range(12)]
rows = np.concatenate([compare(*pair) for pair in [*pairs, [[[1.0]]] * 2]])
error = abs(rows[:, 1:] - rows[:, :1])
for name, each in zip(("right", "wrong"), error.T):
    print(f"{name}  errors from {min(each):.3f} to {max(each):.3f}")

for suffix, ink, soft, wrong, right in (
        ("", "#23262b", "#5a5e66", "#b0123d", "#0d6b3c"),
        ("-dark", "#dfe1e6", "#a6abb6", "#ff8599", "#6fd39b")):
    plt.rcParams.update(dict.fromkeys((
        "text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color",
        "ytick.color"), ink))
    figure, plot = plt.subplots(figsize=(4.7, 3.4), layout="tight")
    plot.axline((0, 0), slope=1, color=soft, lw=1)
    plot.plot(rows[:, 0], rows[:, 1], "o", color=right, ms=5)
    plot.plot(rows[:, 0], rows[:, 2], "x", color=wrong, ms=6)
    plot.plot(*rows[-1, [0, 2]], "o", color=wrong, mfc="none", ms=14)
    for across, up, text, color, side in (
            (0.8, 0.55, "right gradient", right, "left"),
            (0.3, -0.7, "upstream / length", wrong, "left"),
            (-0.1, 1.05, f"counterexample:\n{rows[-1, 2]:.0f}, but"
             f" {abs(rows[-1, 0]):.0f} is right", wrong, "right")):
        plot.text(across, up, text, color=color, ha=side)
    plot.set(title="gradient", xlabel="finite difference",
             xticks=[-1, 0, 1], yticks=[-1, 0, 1])
    line, dots, crosses, ring = (each.get_xydata() for each in plot.lines)
    assert np.allclose(dots[:, 0], dots[:, 1], atol=1e-4), (
        "Dots for random points: gradients over finite differences. Those of"
        " the right gradient lie on the diagonal.")
    off = abs(crosses[:, 1] - crosses[:, 0])
    assert 3 < np.sum(off < 0.05) < 10 and np.sum(off > 0.1) > 20 and (
        np.allclose(ring, [[0, 1]], atol=1e-4)), (
        "Most of upstream / length lie off it, some near it. The"
        " counterexample is at 0 and 1.")
    figure.savefig(f"figure{suffix}.svg", transparent=True,
                   metadata={"Date": None})
