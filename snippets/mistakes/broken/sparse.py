"""Gradients of sparse operations: some are None, some raise an error."""

import tensorflow as tf

places, sparse = [[0, 0], [1, 1]], tf.sparse


def matrix(values):
    return sparse.SparseTensor(places, values, [2, 2])


functions = {
    "to_dense": lambda v: sparse.to_dense(matrix(v)),
    "reduce_sum": lambda v: sparse.reduce_sum(matrix(v)),
    "add": lambda v: sparse.add(matrix(v), matrix(v)).values,
    "reorder": lambda v: sparse.reorder(matrix(v)).values,
    "transpose": lambda v: sparse.transpose(matrix(v)).values,
    "reshape": lambda v: sparse.reshape(matrix(v), [4]).values,
    "slice": lambda v: sparse.slice(matrix(v), [0, 0], [1, 2]).values,
    "softmax": lambda v: sparse.softmax(matrix(v)).values,
    "retain": lambda v: sparse.retain(matrix(v), [True, False]).values,
    "fill_empty_rows": lambda v: sparse.fill_empty_rows(
        matrix(v), 1.0)[0].values,
    "map_values": lambda v: sparse.map_values(tf.exp, matrix(v)).values,
    "concat": lambda v: sparse.concat(0, [matrix(v), matrix(v)]).values,
    "expand_dims": lambda v: sparse.expand_dims(matrix(v)).values,
    "split": lambda v: sparse.split(matrix(v), 2, 0)[0].values,
    "reduce_max": lambda v: sparse.reduce_max(matrix(v)),
    "maximum": lambda v: sparse.maximum(matrix(v), matrix(v)).values,
    "minimum": lambda v: sparse.minimum(matrix(v), matrix(v)).values,
    "segment_sum": lambda v: sparse.segment_sum(v, [0, 1], [0, 0]),
}


def shown(function, v):
    try:
        with tf.GradientTape() as tape:
            tape.watch(v)
            y = function(v)
        gradient = tape.gradient(y, v)
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:80]}"
    return gradient if gradient is None else tf.convert_to_tensor(
        gradient).numpy().round(4)


for name, function in functions.items():
    print(f"{name:16}", shown(function, tf.constant([2.0, 3.0])))
