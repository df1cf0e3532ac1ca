"""The value converts, and so does the gradient, as a second function."""

import warnings

import tensorflow as tf


# truth: upstream becomes -upstream
@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda upstream: -upstream


def value(x):
    return tf.sin(reverse(x))


def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = value(x)
    return tape.gradient(y, x)


x = tf.constant([0.0, 1.0])
warnings.simplefilter("ignore")
for function in (value, gradient):
    traced = tf.function(function).get_concrete_function(x)
    kinds = {each.type for each in traced.graph.get_operations()}
    converter = tf.lite.TFLiteConverter.from_concrete_functions(
        [traced], tf.Module())
    converted = tf.lite.Interpreter(
        model_content=converter.convert(),
        experimental_op_resolver_type=tf.lite.experimental.OpResolverType
        .BUILTIN_WITHOUT_DEFAULT_DELEGATES)
    converted.allocate_tensors()
    converted.set_tensor(converted.get_input_details()[0]["index"], x)
    converted.invoke()
    place = converted.get_output_details()[0]["index"]
    print(f"{function.__name__:9} converted {converted.get_tensor(place)}"
          f"  eager {function(x).numpy()}")
    print("  IdentityN in the graph:", "IdentityN" in kinds)
