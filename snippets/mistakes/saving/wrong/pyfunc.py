"""Deliberately wrong: NumPy in a saved model."""

import subprocess
import sys
import tempfile

import numpy as np
import tensorflow as tf


class Model(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([])])
    def sine(self, x):
        return tf.numpy_function(np.sin, [x], tf.float32)


LOAD = """
import tensorflow as tf
loaded = tf.saved_model.load(folder)
try:
    print("value", loaded.sine(tf.constant(start)).numpy())
except tf.errors.InvalidArgumentError as error:
    lines = str(error).splitlines()
    print(next(line for line in lines if "callback" in line))
"""
model, start = Model(), 0.5
graph = model.sine.get_concrete_function().graph
print("operations:", *(each.type for each in graph.get_operations()))
with tempfile.TemporaryDirectory() as folder:
    tf.saved_model.save(model, folder)
    print("in the process that saved:")
    exec(LOAD, {"folder": folder, "start": start})
    print("in another process:")
    ran = subprocess.run(
        [sys.executable, "-c", f"folder, start = {folder!r}, {start}\n{LOAD}"],
        capture_output=True, text=True)
# tracebook: raises ValueError
raise ValueError(ran.stdout.strip().removeprefix("ValueError: "))
