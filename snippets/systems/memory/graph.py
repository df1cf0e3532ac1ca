"""How many steps are traced, and how many run after optimization?"""

import tensorflow as tf
from tensorflow.python.eager import context


def checkpoint(function):
    @tf.custom_gradient
    def once(x):
        x = tf.identity(x)
        y = function(tf.stop_gradient(x))

        def grad(upstream):
            copy = tf.identity(x)
            with tf.GradientTape() as tape:
                tape.watch(copy)
                again = function(copy)
            return tape.gradient(again, copy, output_gradients=upstream)

        return y, grad

    return once


def steps(x):
    for _ in range(8):
        x = x + tf.sin(x)
    return x


def sines(graph):
    return sum(node.op == "Sin" for node in graph.node)


for name, way in {"plain": steps, "checkpoint": checkpoint(steps),
                  "recompute_grad": tf.recompute_grad(steps)}.items():
    @tf.function
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = way(x) ** 2
        return loss, tape.gradient(loss, x)

    x = tf.constant(1.0)
    traced = sines(slope.get_concrete_function(x).graph.as_graph_def())
    context.enable_run_metadata()
    slope(x)
    [ran] = context.export_run_metadata().function_graphs
    context.disable_run_metadata()
    print(f"{name:14}  steps traced {traced:2d}"
          f"  steps run {sines(ran.post_optimization_graph):2d}")
