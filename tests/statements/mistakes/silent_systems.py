"""What the page on silent failures around a rule says in words."""

import keras

from truth.statements.tries import *

FEW = [EAGER, INSIDE, AROUND, XLA]
SEEING = [EAGER, PERSISTENT, INSIDE, XLA]
AT_A_GRAPH = [AROUND, NESTED, AROUND_XLA, SYMBOLIC]


@says(
    "`tf.vectorized_map` traces the function and converts its operations one by one.",
    "The `IdentityN` that carries the rule is replaced by one that carries none, and a tape around the map takes the slopes of the forward pass.",
    "A straight-through rule gets 0 in this way.",
    "Put the tape inside, map with `tf.map_fn`, or call the function on the batch.",
    "Wrong on purpose: the tape runs around tf.vectorized_map.",
    "The rule holds in map_fn, and with the tape inside tf.vectorized_map.",
    "Compare with `tf.map_fn`, as the assertion above does with what the rule says.",
)
@over(mode=[EAGER, INSIDE, AROUND, AROUND_XLA])
def test_vectorized_map(mode):
    names = []

    @tf.custom_gradient
    def through(x):
        return tf.round(x), lambda upstream: upstream

    @tf.custom_gradient
    def reverse(x):
        return tf.identity(x), lambda upstream: -upstream

    def look(x):
        y = reverse(x)
        if not tf.executing_eagerly():
            names.append(tf.compat.v1.get_default_graph())
        return y

    x = [1.3, 2.6]
    assert same(mode.gradient(lambda x: tf.vectorized_map(reverse, x), x), [1.0, 1.0])
    assert same(mode.gradient(lambda x: tf.vectorized_map(through, x), x), [0.0, 0.0])
    assert same(mode.gradient(lambda x: tf.map_fn(reverse, x), x), [-1.0, -1.0])
    assert same(mode.gradient(reverse, x), [-1.0, -1.0])
    one = EAGER.gradient
    inside = tf.vectorized_map(lambda x: one(reverse, x), tf.constant(x))
    assert same(inside, [-1.0, -1.0])
    tf.vectorized_map(look, tf.constant(x))
    carried = [
        op.get_attr("_gradient_op_type")
        for graph in names[-1:]
        for op in graph.get_operations()
        if op.type == "IdentityN"
    ]
    assert carried and b"CustomGradient" in carried[0]
