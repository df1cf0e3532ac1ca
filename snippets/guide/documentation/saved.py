"""A saved model keeps its gradient functions by default."""

import tempfile
from pathlib import Path

import tensorflow as tf
from tensorflow.core.protobuf.saved_model_pb2 import SavedModel


# truth: upstream becomes -upstream
@tf.custom_gradient
def reverse(x):
    return x, lambda upstream: -upstream


class Model(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([])])
    def reverse(self, x):
        return reverse(x)


for name, choice in (
        ("default", {}),
        ("True", {"experimental_custom_gradients": True}),
        ("False", {"experimental_custom_gradients": False})):
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(Model(), folder,
                            options=tf.saved_model.SaveOptions(**choice))
        saved = SavedModel.FromString(
            Path(folder, "saved_model.pb").read_bytes())
    library = saved.meta_graphs[0].graph_def.library
    print(f"{name:8} gradient functions in the file:",
          len(library.registered_gradients))
