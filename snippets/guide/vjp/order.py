"""Multiplications in a row times two matrices, in either order."""

import tensorflow as tf


def multiplications(function, *shapes):
    """In the matrix products of the traced graph; a product of [a, b]
    and [b, c] has a * b * c of them."""
    specs = [tf.TensorSpec(shape) for shape in shapes]
    graph = tf.function(function).get_concrete_function(*specs).graph
    return sum(op.outputs[0].shape.num_elements() * op.inputs[1].shape[0]
               for op in graph.get_operations() if op.type == "MatMul")


def row_first(u, B, A):
    return (u @ B) @ A


def matrices_first(u, B, A):
    return u @ (B @ A)


print("(u B) A and u (B A), with u: [1, m], B: [m, k], A: [k, n]")
for m, k, n in [(10, 10, 10), (100, 100, 100), (1000, 1000, 1000),
                (1000, 1, 1000), (1000, 1000, 1)]:
    shapes = (1, m), (m, k), (k, n)
    a = multiplications(row_first, *shapes)
    b = multiplications(matrices_first, *shapes)
    print(f"m, k, n = {m:4}, {k:4}, {n:4}: {a:9,} and {b:15,}")

u, B, A = (tf.random.stateless_uniform(shape, (1, 2), -3, 4, tf.int32)
             for shape in ((1, 2), (2, 3), (3, 4)))
u, B, A = (tf.cast(each, tf.float32) for each in (u, B, A))
print("the same numbers:", row_first(u, B, A).numpy()[0],
      matrices_first(u, B, A).numpy()[0])
