"""Values, and a list that remembers how each was computed."""

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


x = Value(2.0)
u = x * x
v = u * x
L = v + u
for name, inputs, output in tape:
    shown = ", ".join(f"{value.number:g} (local = {local:g})"
                      for value, local in inputs)
    print(f"{name:9} {shown} -> {output.number:g}")

# The same operations in TensorFlow, each by itself.
import tensorflow as tf

operations = {"add": tf.add, "multiply": tf.multiply}
for name, inputs, output in tape:
    tensors = [tf.constant(value.number) for value, _ in inputs]
    with tf.GradientTape() as tf_tape:
        tf_tape.watch(tensors)
        y = operations[name](*tensors)
    assert y == output.number
    assert tf_tape.gradient(y, tensors) == [local for _, local in inputs]
print("TensorFlow agrees on every step")
