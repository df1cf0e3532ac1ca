"""Deliberately wrong: a custom gradient is traced over and over."""

# tracebook: alone

import gc

import tensorflow as tf
from tensorflow.python.framework import func_graph, ops


# truth: the rule is right
@tf.custom_gradient
def square(x):
    return x * x, lambda upstream: upstream * 2.0 * x


tf.get_logger().setLevel("ERROR")  # no warnings on retracing
for _ in range(5):
    tf.function(square)(tf.constant(3.0))
gc.collect()
entries = [name for name in ops.gradient_registry.list()
         if name.startswith("CustomGradient-")]
graphs = [each for each in gc.get_objects()
          if isinstance(each, func_graph.FuncGraph)]
print("entries left", len(entries), " graphs left", len(graphs))
