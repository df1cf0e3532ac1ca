"""Deliberately wrong: gradient_override_map, trained with a tape."""

import tensorflow as tf


# truth: the rule is right; the gradient of tf.tanh
@tf.RegisterGradient("SlopeOfTanh")
def slope_of_tanh(op, upstream):
    return upstream * (1.0 - tf.tanh(op.inputs[0]) ** 2)


def loss_of(weight):
    graph = tf.compat.v1.get_default_graph()
    with graph.gradient_override_map({"Sign": "SlopeOfTanh"}):
        y = tf.sign(weight)
    return 0.5 * (y - 1.0) ** 2


def with_tape(weight, loss_of=loss_of):
    with tf.GradientTape() as tape:
        tape.watch(weight)
        loss = loss_of(weight)
    return tape.gradient(loss, weight)


def with_tf_gradients(weight):
    return tf.gradients(loss_of(weight), weight)[0]


graph = tf.function(loss_of)
for name, compute in (
        ("tape, eager", with_tape),
        ("tape inside tf.function", tf.function(with_tape)),
        ("tape around tf.function", lambda weight: with_tape(weight, graph)),
        ("tf.gradients", tf.function(with_tf_gradients))):
    weight = tf.constant(-1.0)
    for _ in range(3):
        weight -= 0.5 * compute(weight)
    print(f"{name:23}  weight after 3 steps: {weight:.4f}")
