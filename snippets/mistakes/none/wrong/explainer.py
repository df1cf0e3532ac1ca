"""Deliberately wrong: what a failed DeepExplainer leaves behind."""

import keras
import numpy as np
import tensorflow as tf
from tensorflow.python.eager import backprop, execute


def renamed(name, inputs, attributes, outputs):
    """What DeepExplainer puts in the place of record_gradient."""
    backprop.record_gradient("shap_" + name, inputs, attributes, outputs)


def explain(model, x):
    execute.record_gradient = renamed
    tf.function(explain_in_graph)(model, x)
    execute.record_gradient = backprop.record_gradient  # not after an error


def explain_in_graph(model, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        score = model(x)
    return tape.gradient(score, x)


def attempt(name, call, *arguments, **options):
    try:
        call(*arguments, **options)
        print(f"{name}: no error")
    except Exception as error:
        print(f"{name}: {str(error).strip().splitlines()[-1].strip()}")


model = keras.Sequential([keras.Input([4]), keras.layers.Dense(1, "gelu")])
model.compile("sgd", "mse")
x, y = np.ones([2, 4], "float32"), np.ones([2, 1], "float32")
attempt("explainer", explain, model, tf.constant(x))
attempt("fit", model.fit, x, y, verbose=0)
execute.record_gradient = backprop.record_gradient
attempt("fit, restored", model.fit, x, y, verbose=0)
