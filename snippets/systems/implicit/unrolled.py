"""Unrolled and implicit over the steps of a solver: memory, and error."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "implicit unrolled"
from matplotlib import pyplot as plt


def unrolled(W, x, steps):
    y = tf.zeros_like(x)
    for _ in range(steps):
        y = tf.tanh(tf.linalg.matvec(W, y) + x)
    return y


def vjp(W, y, upstream):
    A = tf.linalg.diag(1.0 / (1.0 - y * y)) - W
    w = tf.linalg.solve(A, upstream[:, None], adjoint=True)[:, 0]
    return w[:, None] * y, w


def implicit(W, x, steps):
    # truth: W = 0.5 * W / (1.0 + tf.norm(W)); W.shape == x.shape + x.shape
    # truth: abs(x) < 3; x.shape.rank == 1; first derivative only
    @tf.custom_gradient
    def layer(W, x):
        y = unrolled(tf.stop_gradient(W), tf.stop_gradient(x), steps)
        return y, lambda upstream: vjp(W, y, upstream)

    return layer(W, x)


def kept(way, steps):
    """Bytes that the forward pass makes and the backward pass reads."""
    with tf.Graph().as_default() as graph, tf.GradientTape() as tape:
        inputs = tf.constant(W), tf.constant(x)
        tape.watch(inputs)
        y = way(*inputs, steps)
        made = graph.get_operations()
        tape.gradient(y, inputs)
    read = {
        each.ref()
        for op in graph.get_operations()[len(made) :]
        for each in op.inputs
        if each.op in made and each.op.inputs
    }
    return sum(
        np.prod(each.deref().shape, dtype=int) * each.deref().dtype.size
        for each in read
    )


rng = np.random.default_rng(0)
W = rng.standard_normal([16, 16])
W, x = 0.85 * W / np.linalg.norm(W, 2), 0.5 * rng.standard_normal(16)
upstream = tf.constant(rng.standard_normal(16))
many, few = [25, 50, 75, 100], [*range(2, 33, 3)]
size = {
    name: [kept(way, steps) for steps in many]
    for name, way in (("unrolled", unrolled), ("custom", implicit))
}
for name, values in size.items():
    print(f"{name:8}  bytes kept after", many, "steps:", *values)
y_exact, errors = (
    unrolled(W, tf.constant(x), 100),
    {"unrolled": [], "custom": [], "y": []},
)
exact = vjp(W, y_exact, upstream)[1]
for steps in few:
    with tf.GradientTape() as tape:
        inputs = tf.constant(x)
        tape.watch(inputs)
        y = unrolled(W, inputs, steps)
    for name, value, right in (
        ("unrolled", tape.gradient(y, inputs, upstream), exact),
        ("custom", vjp(W, y, upstream)[1], exact),
        ("y", y, y_exact),
    ):
        errors[name].append((tf.norm(value - right) / tf.norm(right)).numpy())
for name, values in errors.items():
    print(
        f"{name:8}  error after {few[3]} steps {values[3]:.1e},"
        f" after {few[9]} steps {values[9]:.1e}"
    )

for name, ink, *colors in [
    ("unrolled", "#23262b", "#b0123d", "#00707a", "#8a8f98"),
    ("unrolled-dark", "#dfe1e6", "#ff8599", "#66c9d1", "#8a8f98"),
]:
    for part in ("text.color", "xtick.color", "ytick.color", "axes.edgecolor"):
        matplotlib.rcParams[part] = ink
    figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3), layout="tight")
    for plot, steps, drawn in (left, many, size), (right, few, errors):
        for (label, values), color, mark in zip(drawn.items(), colors, "os."):
            plot.plot(steps, values, mark + "-", color=color, label=label)
    left.set_title("bytes kept, over steps")
    right.set(title="relative error, over steps", yscale="log")
    right.legend(frameon=False)
    bytes_of, error_of = (
        {line.get_label(): line.get_ydata() for line in plot.lines}
        for plot in (left, right)
    )
    assert "bytes" in left.get_title() and (
        len({*np.diff(bytes_of["unrolled"])}) == 1
        and bytes_of["unrolled"][0] > 0
        and left.get_yscale() == "linear"
    ), (
        "Two plots over the steps of the solver. Left, the bytes that the"
        " backward pass reads: a straight line that rises for the unrolled"
        " loop,"
    )
    assert len({*bytes_of["custom"]}) == 1 and (
        max(bytes_of["custom"]) < min(bytes_of["unrolled"])
    ), "a flat one far below it for the custom gradient."
    assert (
        "error" in right.get_title()
        and right.get_yscale() == "log"
        and all(np.all(np.diff(values) < 0) for values in error_of.values())
    ), "Right, relative errors on a logarithmic axis, three falling lines:"
    assert np.all(error_of["unrolled"] > error_of["custom"]), (
        "the gradient of the unrolled loop lies above that of the custom"
        " gradient."
    )
    figure.savefig(name + ".svg", transparent=True, metadata={"Date": None})
