"""How many gradient functions are registered, and under which name."""

# tracebook: alone

import tensorflow as tf
from tensorflow.python.framework import ops


@tf.custom_gradient
def square(x):
    return x * x, lambda upstream: upstream * 2.0 * x


def registered():
    return [name for name in ops.gradient_registry.list()
            if name.startswith("CustomGradient-")]


def report(after):
    print(f"after {after:24} registered {len(registered())}")


x, graph = tf.constant(3.0), tf.function(square)
report("the definition")
with tf.GradientTape() as tape:
    tape.watch(x)
    y = square(x)
tape.gradient(y, x)
report("an eager gradient")
graph(x)
report("a graph of a scalar")
graph(x + 1.0)
report("the same graph again")
graph(tf.ones([3]))
report("a graph of three numbers")
tf.function(lambda x: square(x) + square(x))(x)
report("a graph with two calls")

print("the graph of a scalar:")
for op in graph.get_concrete_function(x).graph.get_operations():
    name = ""
    if op.type == "IdentityN":
        name = op.get_attr("_gradient_op_type").decode()
        assert name in registered()
        name = "  named " + name.partition("-")[0] + "-N"
    inputs = ", ".join(each.op.type for each in op.inputs)
    print(f"  {op.type}({inputs}){name}")
