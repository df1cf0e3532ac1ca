"""Each new trace registers a gradient function: three calls of each kind."""

import tensorflow as tf
from tensorflow.python.framework import ops


# truth: x.shape == factor.shape
@tf.custom_gradient
def scaled(x, factor):
    return x * factor, lambda upstream: (upstream * factor, upstream * x)


def registered():
    return sum(name.startswith("CustomGradient-")
               for name in ops.gradient_registry.list())


tf.get_logger().setLevel("ERROR")  # no warnings on retracing
one = tf.constant(1.0)
numbers = [(one, k) for k in (1.0, 2.0, 3.0)]
tensors = [(one, tf.constant(k)) for _, k in numbers]
lengths = [(tf.ones([n]), tf.ones([n])) for n in (2, 3, 4)]
left_open = [tf.TensorSpec([None]), tf.TensorSpec([None])]
for what, calls, options in (
        ("tensors of one shape", tensors, {}),
        ("Python numbers", numbers, {}),
        ("other lengths", lengths, {}),
        ("other lengths, relaxed", lengths, {"reduce_retracing": True}),
        ("other lengths, left open", lengths, {"input_signature": left_open})):
    before, run = registered(), tf.function(scaled, **options)
    for each in calls:
        run(*each)
    print(f"{what:26} traces {run.experimental_get_tracing_count()}"
          f"  newly registered {registered() - before}")

before = registered()
for each in tensors:
    tf.function(scaled)(*each)
print(f"{'tf.function in the loop':26} traces 3"
      f"  newly registered {registered() - before}")
