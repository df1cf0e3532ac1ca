"""A list of rows and their sums, before and after the list is clipped."""

import tensorflow as tf
from matplotlib import pyplot as plt

plt.rcParams.update({
    "svg.hashsalt": "sparse figure", "font.size": 12, "axes.titlesize": 12,
    "axes.titlelocation": "left"})
rows = tf.IndexedSlices(tf.ones([4, 1]), tf.constant([0, 0, 0, 1]),
                        tf.constant([3, 1]))
limit = 1.0
lists = {"gradient": rows,
         f"list clipped to norm {limit:g}": tf.clip_by_norm(rows, limit)}
for name, clipped in lists.items():
    print(f"{name:22}  norm of the list {tf.norm(clipped.values):.4f}"
          f"  of the table {tf.norm(tf.convert_to_tensor(clipped)):.4f}")

for suffix, ink, soft, wrong in (
        ("", "#23262b", "#5a5e66", "#b0123d"),
        ("-dark", "#dfe1e6", "#a6abb6", "#ff8599")):
    plt.rcParams["text.color"] = ink
    figure, plots = plt.subplots(1, 2, figsize=(4.9, 2.6), layout="tight")
    norms = []
    for plot, (name, clipped) in zip(plots, lists.items()):
        sums = tf.convert_to_tensor(clipped)
        for title, left, column in ("list", 0, clipped.values), (
                "table", 3, sums):
            plot.text(left + 0.5, -0.2, title, color=soft, ha="center")
            for k, value in enumerate(column[:, 0].numpy()):
                plot.add_patch(plt.Rectangle((left, k), 1, 1, fc="none",
                                             ec=soft))
                plot.text(left + 0.5, k + 0.5, f"{value:g}", ha="center",
                          va="center")
            norms.append(plot.text(
                left + 0.5, 4.3, f"norm\n{tf.norm(column):.2f}", ha="center",
                va="top"))
        for k, index in enumerate(clipped.indices.numpy()):
            plot.annotate("", (3, index + 0.5), (1, k + 0.5), arrowprops={
                "arrowstyle": "->", "color": soft, "shrinkB": 0})
            plot.text(4.15, k + 0.5, f"row {k}" if k < 3 else "", color=soft,
                      va="center")
        plot.set(xlim=(-0.05, 5.2), ylim=(6, -0.9), title=name)
        plot.axis("off")
    norms[3].set_color(wrong)
    cells = [[float(text.get_text()) for text in plot.texts if text.get_text()
              .replace(".", "").isdigit()] for plot in plots]
    ends = [(text.xy[1], text.xyann[1]) for text in plots[0].texts
            if hasattr(text, "xyann")]
    assert cells[0] == [1, 1, 1, 1, 3, 1, 0] and ends == [
        (0.5, 0.5), (0.5, 1.5), (0.5, 2.5), (1.5, 3.5)], (
        "A list of four ones. Arrows lead from three of them to row 0 of a"
        " table and from one to row 1, so its rows are 3, 1 and 0.")
    assert cells[1] == [0.5] * 4 + [1.5, 0.5, 0] and [
        text.get_text() for text in norms] == [
            "norm\n2.00", "norm\n3.16", "norm\n1.00", "norm\n1.58"], (
        "Clipped to the norm 1, the list makes a table with the norm 1.58.")
    figure.savefig(f"figure{suffix}.svg", transparent=True,
                   metadata={"Date": None})
