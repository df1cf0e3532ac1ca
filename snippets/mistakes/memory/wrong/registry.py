"""Wrong on purpose: a function with a rule is traced over and over."""

import gc

import tensorflow as tf
from tensorflow.python.framework import func_graph, ops


# truth: the rule is right
@tf.custom_gradient
def square(x):
    return x * x, lambda upstream: upstream * 2.0 * x


def plain(x):
    return x * x


def left():
    gc.collect()
    rules = [name for name in ops.gradient_registry.list()
             if name.startswith("CustomGradient-")]
    graphs = [each for each in gc.get_objects()
              if isinstance(each, func_graph.FuncGraph)]
    return len(rules), len(graphs)


tf.get_logger().setLevel("ERROR")  # no word on retracing
for function in plain, square:
    before = left()
    for _ in range(5):
        tf.function(function)(tf.constant(3.0))
    rules, graphs = (now - then for now, then in zip(left(), before))
    print(f"{function.__name__:7} rules left {rules}  graphs left {graphs}")
