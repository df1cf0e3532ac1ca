"""Deliberately wrong: saved without gradient functions, and differentiated."""

import subprocess
import sys
import tempfile

import tensorflow as tf


# truth: the rule is right; upstream becomes -upstream
@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda upstream: -upstream


class Model(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([])])
    def reverse(self, x):
        return reverse(x)


LOAD = """
import tensorflow as tf
loaded = tf.saved_model.load(folder)
x = tf.constant(start)
print("value", loaded.reverse(x).numpy())
try:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loaded.reverse(x)
    print("gradient", tape.gradient(y, x).numpy())
except LookupError as error:
    print("LookupError:", str(error).partition(". ")[0])
"""
start = 3.0
options = tf.saved_model.SaveOptions(experimental_custom_gradients=False)
with tempfile.TemporaryDirectory() as folder:
    tf.saved_model.save(Model(), folder, options=options)
    print("in the process that saved:")
    exec(LOAD, {"folder": folder, "start": start})
    print("in another process:")
    ran = subprocess.run(
        [sys.executable, "-c", f"folder, start = {folder!r}, {start}\n{LOAD}"],
        capture_output=True, text=True)
value, said = ran.stdout.strip().split("LookupError: ")
print(value.strip())
[warning] = [line for line in ran.stderr.splitlines() if "unsaved" in line]
print("warning:", warning.partition(") ")[2])
# tracebook: raises LookupError
raise LookupError(said)
