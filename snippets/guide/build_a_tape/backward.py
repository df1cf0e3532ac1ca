"""The backward pass, which reads the list in reverse."""

tape = []


class Value:
    def __init__(self, number):
        self.number = number

    def __add__(self, other):
        return record("add", self.number + other.number,
                      [(self, 1.0), (other, 1.0)])

    def __mul__(self, other):
        return record("multiply", self.number * other.number,
                      [(self, other.number), (other, self.number)])


def record(name, number, inputs):
    output = Value(number)
    tape.append((name, inputs, output))
    return output


# --8<-- [start:new]
def gradients(target):
    upstream = {target: 1.0}
    for name, inputs, output in reversed(tape):
        if output in upstream:
            for value, local in inputs:
                downstream = upstream[output] * local
                print(f"{name:9} upstream = {upstream[output]:g}"
                      f"  local = {local:g}  downstream = {downstream:g}")
                upstream[value] = upstream.get(value, 0.0) + downstream
    return upstream


x = Value(2.0)
u = x * x
v = u * x
L = v + u
upstream = gradients(L)
print("at v", upstream[v], " at u", upstream[u], " at x", upstream[x])

# The same computation in TensorFlow.
import tensorflow as tf


def in_tensorflow(x):
    with tf.GradientTape() as tf_tape:
        tf_tape.watch(x)
        u = x * x
        v = u * x
        L = v + u
    v_bar, u_bar, x_bar = tf_tape.gradient(L, [v, u, x])
    return v_bar, u_bar, x_bar


found = in_tensorflow(tf.constant(2.0))
assert found == (upstream[v], upstream[u], upstream[x])
print("TensorFlow agrees on all three gradients")
# --8<-- [end:new]
