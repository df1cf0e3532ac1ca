"""First derivatives of smooth functions, where one number is 0."""

import tensorflow as tf

math, two = tf.math, tf.constant(2.0, tf.float64)
cases = {
    "x * log(2)": lambda x: x * math.log(two),
    "xlogy(x, 2)": lambda x: math.xlogy(x, two),
    "xlog1py(x, 2)": lambda x: math.xlog1py(x, two),
    "xdivy(x, 2)": lambda x: math.xdivy(x, two),
    "cumprod([2, x])[1]": lambda x: math.cumprod(tf.stack([two, x]))[1],
    "cumprod([x, 2])[1]": lambda x: math.cumprod(tf.stack([x, two]))[1],
    "reduce_prod([2, x])": lambda x: math.reduce_prod(tf.stack([two, x])),
    "multiply_no_nan(2, x)": lambda x: math.multiply_no_nan(two, x),
}
x, h = tf.constant(0.0, tf.float64), 1e-6
for name, function in cases.items():
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    difference = (function(x + h) - function(x - h)) / (2.0 * h)
    print(f"{name:22} tape {tape.gradient(y, x):.3f}"
          f"  difference {difference:.3f}")
