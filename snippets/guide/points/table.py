"""One-sided slopes, and the gradient that TensorFlow returns there."""

import numpy as np
import tensorflow as tf

ZERO, ONE = tf.constant(0.0, tf.float64), tf.constant(1.0, tf.float64)

ROWS = [
    ("relu(x)", 0, tf.nn.relu), ("relu6(x)", 6, tf.nn.relu6),
    ("leaky_relu(x)", 0, tf.nn.leaky_relu), ("abs(x)", 0, tf.abs),
    ("maximum(x, 0)", 0, lambda x: tf.maximum(x, ZERO)),
    ("maximum(0, x)", 0, lambda x: tf.maximum(ZERO, x)),
    ("minimum(x, 0)", 0, lambda x: tf.minimum(x, ZERO)),
    ("reduce_max([x, 0])", 0, lambda x: tf.reduce_max([x, ZERO])),
    ("where(x > 0, x, 0)", 0, lambda x: tf.where(x > 0.0, x, ZERO)),
    ("clip_by_value(x, -1, 1)", 1, lambda x: tf.clip_by_value(x, -1.0, 1.0)),
    ("clip_by_value(x, -1, 1)", -1, lambda x: tf.clip_by_value(x, -1.0, 1.0)),
    ("norm([x, 0])", 0, lambda x: tf.norm([x, ZERO])),
    ("sign(x)", 0, tf.sign), ("round(x)", 0.5, tf.round),
    ("x % 1", 1, lambda x: x % 1.0),
    ("divide_no_nan(1, x)", 0, lambda x: tf.math.divide_no_nan(ONE, x)),
    ("sqrt(x)", 0, tf.sqrt),
    ("x**1.5", 0, lambda x: x**1.5), ("x**0", 0, lambda x: x**0.0),
    ("log(x)", 0, tf.math.log), ("acos(x)", 1, tf.acos),
    ("xlogy(x, x)", 0, lambda x: tf.math.xlogy(x, x)),
    ("softplus(x)", 0, tf.nn.softplus), ("elu(x)", 0, tf.nn.elu),
    ("softsign(x)", 0, tf.nn.softsign),
]


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


def one_sided(function, x, side):
    """The quotient at two steps; infinite where it has no limit."""
    near, far = (((function(x + side * h) - function(x)) / (side * h)).numpy()
                 for h in (1e-8, 1e-6))
    settled = near == far or np.isnan(near) or abs(near - far) < 0.01
    return round(near, 3) + 0.0 if settled else np.sign(near) * np.inf


def choice(left, right, found):
    if np.isnan([left, right]).any():
        return "end of the domain"
    if np.isinf([left, right]).any():
        return "discontinuity"
    if left == right:
        return "no kink" + ("" if found == left else ", and wrong")
    among = {left: "left", right: "right", (left + right) / 2: "middle"}
    return "kink, " + among.get(round(found, 3), "neither")


print("function                   at    left   right  TensorFlow  graph")
for name, at, function in ROWS:
    x = tf.constant(at, tf.float64)
    left, right = (one_sided(function, x, side) for side in (-1.0, 1.0))
    graph = tf.function(lambda x: gradient(function, x), autograph=False)
    found, again = (None if each is None else each.numpy() for each in (
        gradient(function, x), graph.get_concrete_function(x)(x)))
    same = found is again or np.array_equal(found, again, equal_nan=True)
    shown = "None" if found is None else f"{found:.3f}"
    print(f"{name:24}  {at:3}  {left:6.3f}  {right:6.3f}  {shown:>10}"
          f"  {'same' if same else 'OTHER'}   {choice(left, right, found)}")
