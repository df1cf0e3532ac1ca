"""The potential of one spiking neuron, and the gradient of its spikes."""

import numpy as np
import tensorflow as tf
from matplotlib import pyplot as plt

plt.rcParams.update({
    "svg.hashsalt": "spiking_quantized figure", "font.size": 12,
    "axes.titlesize": 12, "axes.titlelocation": "left",
    "axes.spines.top": False, "axes.spines.right": False})
width = 0.3


# truth: the gradient of tf.sigmoid((v - 1.0) / width)
# truth: abs(v) < 5; first derivative only
@tf.custom_gradient
def spike(v):
    def grad(upstream):
        u = (v - 1.0) / width
        return upstream * tf.sigmoid(u) * tf.sigmoid(-u) / width

    return tf.cast(v > 1.0, v.dtype), grad


potential, v = np.zeros(31), 0.0
for time in range(31):
    v = potential[time] = 0.9 * v + (0.55 if time % 5 == 2 else 0.0)
    v -= v > 1.0
v = tf.constant(potential)
with tf.GradientTape(persistent=True) as tape:
    tape.watch(v)
    s, without = spike(v), tf.cast(v > 1.0, v.dtype)
surrogate = tape.gradient(s, v)
derivative = tape.gradient(without, v, unconnected_gradients="zero")
spikes = np.flatnonzero(s)
print("spikes in the steps", spikes, "surrogate gradients there:",
      surrogate.numpy()[spikes].round(2))

for suffix, ink, wrong, right in (("", "#23262b", "#b0123d", "#0d6b3c"),
                                  ("-dark", "#dfe1e6", "#ff8599", "#6fd39b")):
    plt.rcParams.update(dict.fromkeys((
        "text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color",
        "ytick.color"), ink))
    figure, (above, below) = plt.subplots(
        2, figsize=(4.7, 3.2), sharex=True, layout="tight")
    above.fill_between([0, 30], 1.0 - width, 1.0 + width, color=right,
                       alpha=0.2, lw=0)
    above.plot(v, color=ink, lw=2)
    above.plot([0, 30], [1, 1], ":", color=ink)
    above.plot(spikes, potential[spikes], "^", color=ink, ms=9)
    below.plot(surrogate, color=right, lw=2)
    below.plot(derivative, color=wrong, lw=3)
    for plot, x, y, text, color in (
            (above, 9.5, 1.43, "spike", ink), (above, 31, 1, "threshold", ink),
            (below, 31, 0.5, "surrogate", right),
            (below, 31, 0, "derivative", wrong)):
        plot.text(x, y, text, color=color, va="center")
    above.set(title="potential", ylim=(-0.1, 1.75), yticks=[0, 1])
    below.set(title="gradient of a spike with respect to the potential",
              ylim=(-0.05, 1), yticks=[0, 0.5], yticklabels=["0", "0.5"],
              xlim=(0, 39.5), xticks=[0, 10, 20, 30], xlabel="time step")
    for plot in above, below:
        plot.spines["bottom"].set_bounds(0, 30)
    (_, line), _, (times, _) = (each.get_data() for each in above.lines)
    green, red = (each.get_ydata() for each in below.lines)
    near = abs(line - 1.0) < width
    assert [*times] == [*np.flatnonzero(line > 1)] and len(times) == 2, (
        "A potential over time, with a spike where it exceeds the threshold.")
    assert not any(red) and min(green[near]) > max(green[~near]), (
        "The derivative of a spike is 0; the surrogate is largest in the"
        " shaded band around the threshold.")
    figure.savefig(f"figure{suffix}.svg", transparent=True,
                   metadata={"Date": None})
