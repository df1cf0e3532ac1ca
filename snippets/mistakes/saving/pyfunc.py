"""The saved model computes the function with TensorFlow operations."""

import subprocess
import sys
import tempfile

import numpy as np
import tensorflow as tf


class Model(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([])])
    def sine(self, x):
        return tf.sin(x)


x = np.float32(0.5)
with tempfile.TemporaryDirectory() as folder:
    tf.saved_model.save(Model(), folder)
    load = f"""
import tensorflow as tf
loaded = tf.saved_model.load({folder!r})
x = tf.constant({x})
with tf.GradientTape() as tape:
    tape.watch(x)
    y = loaded.sine(x)
print("value", y.numpy(), " gradient", tape.gradient(y, x).numpy())
"""
    ran = subprocess.run(
        [sys.executable, "-c", load], capture_output=True, text=True)
print(ran.stdout.strip(), " in another process")
print("value", np.sin(x), " gradient", np.cos(x), " by NumPy")
