"""Which operations the key Relu of the map affects."""

import tensorflow as tf
from tensorflow import keras


# truth: downstream becomes 10.0 * downstream
@tf.RegisterGradient("TenTimes")
def ten_times(op, upstream):
    return 10.0 * upstream * tf.cast(op.outputs[0] > 0.0, upstream.dtype)


@tf.function
def inner(x):
    return tf.nn.relu(x)


# truth: the gradient of tf.identity
@tf.custom_gradient
def with_custom_gradient(x):
    return tf.nn.relu(x), lambda upstream: upstream


forms = {
    "tf.nn.relu": tf.nn.relu,
    "keras.ops.relu": keras.ops.relu,
    "tf.maximum": lambda x: tf.maximum(x, 0.0),
    "tf.nn.relu6": tf.nn.relu6,
    "tf.nn.leaky_relu": tf.nn.leaky_relu,
    "relu in a tf.function": inner,
    "relu, custom gradient": with_custom_gradient,
}


def mapped(form):
    @tf.function
    def run(x):
        graph = tf.compat.v1.get_default_graph()
        with graph.gradient_override_map({"Relu": "TenTimes"}):
            return form(x)

    return run


x = tf.constant(2.0)
for name, form in forms.items():
    run = mapped(form).get_concrete_function(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = run(x)
    types = [each.type for each in run.graph.get_operations()
             if each.type not in ("Placeholder", "Identity", "Const")]
    print(f"{name:22} gradient {tape.gradient(y, x).numpy():4} ", *types)
