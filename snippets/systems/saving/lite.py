"""TFLite drops a custom gradient, but a converted gradient has it."""

import warnings

import numpy as np
import tensorflow as tf


# truth: upstream becomes -upstream
@tf.custom_gradient
def square(x):
    return x * x, lambda upstream: -upstream * 2.0 * x


class Model(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([1])])
    def value(self, x):
        return {"result": square(x)}

    @tf.function(input_signature=[tf.TensorSpec([1])])
    def gradient(self, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = square(x)
        return {"result": tape.gradient(y, x)}


warnings.simplefilter("ignore")  # on the future of the interpreter
model, x = Model(), np.array([3.0], np.float32)
for function in model.value, model.gradient:
    graph = function.get_concrete_function()
    converter = tf.lite.TFLiteConverter.from_concrete_functions([graph], model)
    interpreter = tf.lite.Interpreter(
        model_content=converter.convert(),
        experimental_op_resolver_type=tf.lite.experimental.OpResolverType
        .BUILTIN_WITHOUT_DEFAULT_DELEGATES)
    run = interpreter.get_signature_runner()
    print(function.python_function.__name__, run(x=x)["result"], "operations:",
          *(each["op_name"] for each in interpreter._get_ops_details()))
