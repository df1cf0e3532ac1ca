"""Deliberately wrong: relying on an order, with forty variables."""

import tensorflow as tf

weights = [tf.Variable(float(n), name=f"w{n}") for n in range(40)]


# truth: eager only
@tf.custom_gradient
def total(x):
    y = x * sum(n * w for n, w in enumerate(weights))

    def grad(upstream, variables):
        seen.append([v.name for v in variables])
        local_x = sum(n * w for n, w in enumerate(weights))
        by_place = [upstream * n * x for n in range(len(variables))]
        return upstream * local_x, by_place

    return y, grad


def run(x):
    with tf.GradientTape() as tape:
        y = total(x)
    return tape.gradient(y, weights)


seen = []
x = tf.constant(1.0)
by_rule = run(x)
run(x)
by_rule_in_graph = tf.function(lambda x: run(x))(x)
eager, again, graph = seen
names = [w.name for w in weights]
print("eager: in the order of the list:", eager == names)
print("eager: sorted by name:          ", eager == sorted(names))
print("eager: the same in the next call:", eager == again)
print("graph: in the order of the list:", graph == names)
print("graph: sorted by name:          ", graph == sorted(names))
print("graph:", *graph[:6], "…")
right = [float(n) for n in range(40)]
print("eager: right gradients:", [g.numpy() for g in by_rule] == right)
print("graph: right gradients:",
      [g.numpy() for g in by_rule_in_graph] == right)
