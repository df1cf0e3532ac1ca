"""Deliberately wrong: print all operations of the gradient of log(1 + e^x)."""

import numpy as np
import tensorflow as tf

graph = tf.Graph()
with graph.as_default():
    x = tf.compat.v1.placeholder(tf.float32, [], name="x")
    y = tf.math.log(1.0 + tf.exp(x))
    tf.gradients(y, x)

tiny = np.finfo("float32").tiny
print(f"float32: largest {tf.float32.max:.2g}, smallest {tiny:.2g},"
      f" halved {tf.constant(tiny) * 0.5:g}")
session = tf.compat.v1.Session(graph=graph)
for value in (100.0, 88.0):
    print("x =", value)
    for op in graph.get_operations():
        if op.inputs and op.type != "Fill":
            way = "backward" if "gradients" in op.name else "forward"
            operands = session.run(list(op.inputs), {x: value})
            result = session.run(op.outputs[0], {x: value})
            shown = ", ".join(f"{operand:.3g}" for operand in operands)
            print(f"  {way:8}  {op.type:10} {shown:12} -> {result:.3g}")
