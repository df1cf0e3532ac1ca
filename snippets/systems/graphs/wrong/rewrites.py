"""Deliberately wrong: grad rounds by adding a large number, in four modes."""

import tensorflow as tf

BIG = 1.5 * 2.0 ** 23


@tf.custom_gradient
def by_adding(x):
    return tf.identity(x), lambda upstream: (upstream + BIG) - BIG


# truth: the rule is right; upstream becomes tf.round(upstream)
@tf.custom_gradient
def by_round(x):
    return tf.identity(x), lambda upstream: tf.round(upstream)


def gradient(rule):
    def run(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = 0.5 * rule(x) ** 2
        return tape.gradient(y, x)

    return run


def rewrites(on):
    tf.config.optimizer.set_experimental_options(
        {"disable_meta_optimizer": not on})


tf.get_logger().setLevel("ERROR")  # no warnings on retracing
x = tf.constant(2.3)
for rule in by_adding, by_round:
    run = gradient(rule)
    print(rule.__name__)
    print("  eager      ", run(x).numpy())
    print("  tf.function", tf.function(run)(x).numpy())
    print("  XLA        ", tf.function(run, jit_compile=True)(x).numpy())
    rewrites(on=False)
    print("  tf.function without rewrites", tf.function(run)(x).numpy())
    rewrites(on=True)
