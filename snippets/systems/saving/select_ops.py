"""TFLite with and without SELECT_TF_OPS: a function and its gradients."""

import os
import warnings

import tensorflow as tf


@tf.custom_gradient
def elu(x):
    def grad(upstream):
        return upstream * tf.exp(tf.minimum(x, 0.0))

    return tf.nn.elu(x), grad


def gradient_of(function):
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    return gradient


builtins, select = tf.lite.OpsSet.TFLITE_BUILTINS, tf.lite.OpsSet.SELECT_TF_OPS
warnings.simplefilter("ignore")  # on the future of the interpreter
os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # The converter prints paths.
for name, function in {
    "value": elu,
    "custom gradient": gradient_of(elu),
    "gradient of tf.nn.elu": gradient_of(tf.nn.elu),
}.items():
    graph = tf.function(function).get_concrete_function(tf.TensorSpec([1]))
    for kinds in [builtins], [builtins, select], [select]:
        print(f"{name}:", *(each.name for each in kinds))
        converter = tf.lite.TFLiteConverter.from_concrete_functions(
            [graph], tf.Module())
        converter.target_spec.supported_ops = kinds
        try:
            file = converter.convert()
        except Exception as error:
            for line in str(error).splitlines():
                if "TF Select" in line:
                    print("  converter:", line.partition(". ")[0])
            continue
        interpreter = tf.lite.Interpreter(model_content=file)
        print("  operations:", *(each["op_name"] for each
                                 in interpreter._get_ops_details()))
        try:
            interpreter.allocate_tensors()
        except RuntimeError as error:
            print("  interpreter:", str(error).partition(". ")[0])
