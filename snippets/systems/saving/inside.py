"""What saving does: it traces grad, and writes its name and its graph."""

import tempfile
from pathlib import Path

import tensorflow as tf
from tensorflow.core.protobuf.saved_model_pb2 import SavedModel

seen = []


# truth: upstream becomes -upstream
@tf.custom_gradient
def square(x):
    seen.append("forward")

    def grad(upstream):
        seen.append("grad")
        return -upstream * 2.0 * x

    return x * x, grad


class Model(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([])])
    def square(self, x):
        return square(x)


for kept in True, False:
    model = Model()
    seen.clear()
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=kept)
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(model, folder, options=options)
        file = Path(folder, "saved_model.pb").read_bytes()
        print("gradients kept:", kept, " saving called", *seen)
        seen.clear()
        if kept:
            loaded = tf.saved_model.load(folder)
            print("  loading called", *seen or ["nothing"])
    library = SavedModel.FromString(file).meta_graphs[0].graph_def.library
    [name] = {node.attr["_gradient_op_type"].s for function in library.function
              for node in function.node_def if node.op == "IdentityN"}
    graphs = {each.registered_op_type: each.gradient_func
             for each in library.registered_gradients}
    for function in library.function:
        if function.signature.name == graphs.get(name.decode()):
            print("  graph of grad:", *(
                each.op for each in function.node_def))
    print("  name without a graph:", name.decode() not in graphs)
