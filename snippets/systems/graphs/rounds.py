"""How often Python calls a function and its grad, in loops and a branch."""

import tensorflow as tf

called = []


@tf.custom_gradient
def halve(x):
    called.append("forward")

    def grad(upstream):
        called.append("grad")
        return 0.5 * upstream

    return 0.5 * x, grad


def python_loop(x):
    for _ in range(3):
        x = halve(x)
    return x


def while_loop(x):
    return tf.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, halve(y)), (0, x))[1]


def map_fn(x):
    return tf.reduce_sum(tf.map_fn(halve, tf.stack([x, x, x])))


def scan(x):
    return tf.scan(lambda y, _: halve(y), tf.range(3), x)[-1]


def cond(x):
    return tf.cond(x > 0.0, lambda: halve(x), lambda: halve(halve(x)))


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


tf.get_logger().setLevel("ERROR")  # no warnings on retracing
x = tf.constant(8.0)
for function in python_loop, while_loop, map_fn, scan, cond:
    for mode, run in ("eager", gradient), ("graph", tf.function(gradient)):
        called.clear()
        found = run(function, x).numpy()
        print(f"{function.__name__:11}  {mode}  gradient {found:<5}  forward "
              f"{called.count('forward')}  grad {called.count('grad')}")
