"""What a VJP and a Jacobian cost as n grows, counted in their graphs."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "vjp cost"
from matplotlib import pyplot as plt


def layer(W, x, upstream, name):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.tanh(tf.linalg.matvec(W, x))
    if name == "VJP":
        return tape.gradient(y, x, output_gradients=upstream)
    return tape.jacobian(y, x) if name == "Jacobian" else y


def cost(n, name):
    """Multiplications in matrix products; bytes of the largest tensor made."""
    specs = [tf.TensorSpec(shape) for shape in ([n, n], [n], [n])]
    graph = tf.function(layer).get_concrete_function(*specs, name).graph
    made = [(op.type, op.outputs[0].shape.num_elements())
            for op in graph.get_operations() if op.type != "Placeholder"
            and op.outputs[0].dtype == tf.float32]
    return (sum(n * size for kind, size in made if kind == "MatMul"),
            max(4 * size for _, size in made))


sizes, costs = [2**k for k in range(11)], {}
for name in ("Jacobian", "VJP", "forward"):
    costs[name] = [cost(n, name) for n in sizes]
    print(f"n = {sizes[-1]}, {name:8}: {costs[name][-1][0]:13,}"
          f" multiplications, {costs[name][-1][1]:9,} bytes")

for name, ink, *colors in [
        ("cost", "#23262b", "#7a3fa0", "#00707a", "#8a8f98"),
        ("cost-dark", "#dfe1e6", "#cfa0ee", "#66c9d1", "#8a8f98")]:
    for part in ("text.color", "xtick.color", "ytick.color", "axes.edgecolor"):
        matplotlib.rcParams[part] = ink
    figure, axes = plt.subplots(1, 2, figsize=(7.0, 3.0), layout="tight")
    for at, title in enumerate(["multiplications", "bytes of one tensor"]):
        for (label, pairs), color, mark in zip(costs.items(), colors, "os."):
            axes[at].loglog(sizes, [pair[at] for pair in pairs], mark + "-",
                            color=color, label=label)
        axes[at].set_title(title + ", over n")
    axes[0].legend(frameon=False)
    left, right = ({line.get_label(): line.get_ydata() for line in plot.lines}
                   for plot in axes)
    rise = {label: np.diff(np.log2(y)) for label, y in right.items()}
    assert all(plot.get_xscale() == plot.get_yscale() == "log"
               and plot.get_title().endswith("over n")
               and all(line.get_xdata()[[0, -1]].tolist() == [1, 1024]
                       for line in plot.lines) for plot in axes), (
        "Two plots over n from 1 to 1024, all axes logarithmic.")
    assert "multiplications" in axes[0].get_title() and all(
        left["VJP"] == 2 * left["forward"]), (
        "Left, multiplications: VJP and forward pass are two parallel lines,"
        " the VJP at twice the forward pass;")
    assert left["Jacobian"][-1] > 100 * left["VJP"][-1] and all(
        np.diff(left["Jacobian"] / left["VJP"]) > 0), (
        "the Jacobian is steeper and ends more than a hundred times higher.")
    assert "bytes" in axes[1].get_title() and all(
        right["VJP"] == right["forward"]) and right["VJP"][-1] // 1000 == 4, (
        "Right, bytes of the largest tensor: VJP and forward pass are one"
        " line, up to 4 thousand bytes;")
    assert all(rise["Jacobian"] == 2 * rise["VJP"]) and (
        right["Jacobian"][-1] // 10**6 == 4), (
        "the Jacobian is twice as steep, up to 4 million.")
    figure.savefig(name + ".svg", transparent=True, metadata={"Date": None})
