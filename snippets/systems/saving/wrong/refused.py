"""Deliberately wrong: models that compute values but can't be saved."""

import contextlib
import io
import re
import tempfile

import tensorflow as tf

strength = tf.Variable(0.5, trainable=False)


# truth: eager only; the rule is right; first derivative only
# truth: upstream becomes tf.clip_by_value(upstream, -1.0, 1.0)
@tf.custom_gradient
def by_value(x):
    def grad(upstream):
        return tf.constant(upstream.numpy().clip(-1.0, 1.0))

    return x * 1.0, grad


# truth: the rule is right; upstream becomes -strength * upstream
@tf.custom_gradient
def by_variable(x):
    return x * 1.0, lambda upstream: -strength * upstream


def saved(rule, **options):
    module = tf.Module()
    module.run = tf.function(rule, input_signature=[tf.TensorSpec([])])
    print(rule.__name__, "value", module.run(tf.constant(3.0)).numpy())
    with (tempfile.TemporaryDirectory() as folder,
          contextlib.redirect_stderr(io.StringIO())):  # a traceback
        options = tf.saved_model.SaveOptions(**options)
        try:
            tf.saved_model.save(module, folder, options=options)
            print("  saved")
        except (KeyError, ValueError) as error:
            said = re.split(r"[.\n]", re.sub(
                r"'b'.*?''|<tf.Tensor.*>", "…", error.args[0]))[0]
            print(f"  {type(error).__name__}: {said}")


saved(by_value)
saved(by_variable)
saved(by_value, experimental_custom_gradients=False)
