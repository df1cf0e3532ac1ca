"""Three formulas at 1e-9, eagerly, in a graph and under XLA."""

import tensorflow as tf

formulas = {
    "exp(x) - 1": lambda x: tf.exp(x) - 1.0,
    "log(1 + x)": lambda x: tf.math.log(1.0 + x),
    "(1 + x) - 1": lambda x: (1.0 + x) - 1.0,
}
x = tf.constant(1e-9)
for name, formula in formulas.items():
    graph = tf.function(formula, autograph=False)
    xla = tf.function(formula, autograph=False, jit_compile=True)
    print(f"{name:11}  eager {formula(x):.2g}  tf.function {graph(x):.2g}"
          f"  XLA {xla(x):.2g}")
