"""Deliberately wrong: print in a graph shows tracing, not running."""

import tensorflow as tf


# truth: the rule is right
@tf.custom_gradient
def square(x):
    print(f"  print     forward  {x.shape}")

    def grad(upstream):
        print(f"  print     backward {upstream.shape}")
        line = tf.print("  tf.print  backward", upstream)
        with tf.control_dependencies([line]):
            return tf.identity(upstream) * 2.0 * x

    return x * x, grad


@tf.function
def slope(x, scale):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = scale * square(x)
    return tape.gradient(y, x)


for x, scale in (([1.0, 2.0], 1.0), ([3.0, 4.0], 1.0), ([1.0], 1.0),
                 ([1.0], 2.0), ([1.0], tf.constant(4.0)),
                 ([1.0], tf.constant(5.0))):
    kind = "tensor" if tf.is_tensor(scale) else "number"
    print(f"x {x}  scale: {kind} {float(scale)}")
    slope(tf.constant(x), scale)
print("traces:", slope.experimental_get_tracing_count())
