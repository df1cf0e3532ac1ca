"""A strength that is a variable of the model, and a model saved twice."""

import tempfile

import tensorflow as tf


class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.strength = tf.Variable(0.5, trainable=False)

    @tf.function(input_signature=[tf.TensorSpec([])])
    def reverse(self, x):
        # truth: upstream becomes -strength * upstream
        @tf.custom_gradient
        def reverse(x):
            return tf.identity(x), lambda upstream: -strength * upstream

        strength = self.strength
        return reverse(x)


def gradient(model):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = model.reverse(x)
    return tape.gradient(y, x).numpy()


model = Model()
print("built                   ", gradient(model))
for times in "once", "twice":
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(model, folder)
        model = tf.saved_model.load(folder)
    value = model.strength.numpy()
    print(f"saved {times:5}  strength {value}", gradient(model))
    model.strength.assign(2.0 * value)
    print(f"assigned     strength {2.0 * value}", gradient(model))
