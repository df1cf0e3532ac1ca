"""Deliberately wrong: each process saves without gradient functions."""

# tracebook: alone

import inspect
import logging
import os
import subprocess
import sys
import tempfile

import tensorflow as tf


def train(factor, *folders):
    @tf.custom_gradient
    def scaled(x):
        return tf.identity(x), lambda upstream: factor * upstream

    module = tf.Module()
    module.run = tf.function(scaled, input_signature=[tf.TensorSpec([])])
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=False)
    tf.saved_model.save(module, folders[0], options=options)
    for folder in folders:
        loaded = tf.saved_model.load(folder)
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loaded.run(x)
        name = os.path.basename(folder)
        print("  model", name, " gradient", tape.gradient(y, x).numpy())


logging.getLogger("absl").addFilter(lambda each: False)  # loading warns
with tempfile.TemporaryDirectory() as folder:
    A, B = os.path.join(folder, "A"), os.path.join(folder, "B")
    print("one process")
    train(-1.0, A)
    print("another process")
    factor = 10.0
    ran = subprocess.run([sys.executable, "-c", f"""
import os, tensorflow as tf
{inspect.getsource(train)}
train({factor}, {B!r}, {A!r})"""], capture_output=True, text=True)
print(ran.stdout, end="")
