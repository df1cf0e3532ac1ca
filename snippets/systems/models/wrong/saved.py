"""Deliberately wrong: a model that was traced under the map is saved."""

# tracebook: alone

import contextlib
import io
import logging
import subprocess
import sys
import tempfile

import tensorflow as tf

logging.disable(logging.ERROR)


# truth: the rule is right; upstream becomes tf.nn.relu(upstream)
@tf.RegisterGradient("GuidedRelu")
def guided_relu(op, upstream):
    return tf.nn.relu(upstream) * tf.cast(op.outputs[0] > 0.0, upstream.dtype)


class Model(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([2])])
    def relu(self, x):
        graph = tf.compat.v1.get_default_graph()
        with graph.gradient_override_map({"Relu": "GuidedRelu"}):
            return tf.nn.relu(x)


DIFFERENTIATE = """
model, x = tf.saved_model.load(folder), tf.ones([2])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = model.relu(x) * [1.0, -1.0]
print("gradient", tape.gradient(y, x).numpy())
"""
with tempfile.TemporaryDirectory() as folder:
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            tf.saved_model.save(Model(), folder)
    except ValueError as error:
        print("ValueError:", str(error).partition("\n")[0])
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=False)
    tf.saved_model.save(Model(), folder, options=options)
    print("the process that saved")
    exec(DIFFERENTIATE)
    load = f"import tensorflow as tf\nfolder = {folder!r}\n"
    ran = subprocess.run([sys.executable, "-c", load + DIFFERENTIATE],
                         capture_output=True, text=True)
    print("another process")
    said = ran.stdout + ran.stderr.strip().rpartition("\n")[2]
    print(said.partition(" (op")[0])
