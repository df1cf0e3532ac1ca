"""Functions without a gradient for an argument, alone and in a sum."""

import tensorflow as tf

tf.get_logger().setLevel("ERROR")
math = tf.math
a, b, x, q = (tf.constant(each, tf.float64) for each in (0.7, 0.8, 2.5, 1.5))
cases = {
    "zeta w.r.t. x": (x, lambda x: math.zeta(x, q)),
    "betainc w.r.t. a": (a, lambda a: math.betainc(a, b, 0.4)),
    "betainc w.r.t. b": (b, lambda b: math.betainc(a, b, 0.4)),
}
h = 1e-6
for name, (at, function) in cases.items():
    in_a_sum = lambda z: z + function(z)
    for form, f in ("alone", function), ("in a sum", in_a_sum):
        with tf.GradientTape() as tape:
            tape.watch(at)
            y = f(at)
        found = tape.gradient(y, at)
        shown = None if found is None else f"{found:.4f}"
        difference = (f(at + h) - f(at - h)) / (2.0 * h)
        print(f"{name:16} {form:9} tape {shown}"
              f"  difference {difference:.4f}")
