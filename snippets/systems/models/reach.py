"""Which forms of a ReLU a clone function finds by its activation."""

import tensorflow as tf
from tensorflow import keras

relu = keras.activations.relu


# truth: upstream becomes tf.nn.relu(upstream)
@tf.custom_gradient
def guided_relu(x):
    def grad(upstream):
        return tf.nn.relu(upstream) * tf.cast(x > 0.0, x.dtype)

    return tf.nn.relu(x), grad


def guided(layer):
    copy = layer.__class__.from_config(layer.get_config())
    if getattr(copy, "activation", None) is relu:
        copy.activation = guided_relu
    return copy


def guided_too(layer):
    # The layer keras.layers.ReLU, or the operation behind keras.ops.relu.
    if type(layer).__name__ in ("ReLU", "Relu"):
        return keras.layers.Activation(guided_relu, name=layer.name)
    return guided(layer)


class Own(keras.layers.Layer):
    def call(self, x):
        return tf.nn.relu(x)


forms = {
    "Dense(2, 'relu')": keras.layers.Dense(
        2, "relu", use_bias=False, kernel_initializer="identity"),
    "Activation('relu')": keras.layers.Activation("relu"),
    "ReLU()": keras.layers.ReLU(),
    "a model in the model": keras.Sequential(
        [keras.Input([2]), keras.layers.Activation("relu")]),
    "TimeDistributed": lambda x: keras.layers.Flatten()(
        keras.layers.TimeDistributed(keras.layers.Activation("relu"))(
            keras.layers.Reshape([1, 2])(x))),
    "Bidirectional": lambda x: keras.layers.Bidirectional(
        keras.layers.SimpleRNN(
            2, "relu", use_bias=False, kernel_initializer="identity"),
        merge_mode="ave")(keras.layers.Reshape([1, 2])(x)),
    "keras.ops.relu": keras.ops.relu,
    "tf.nn.relu in a layer": Own(),
}
x = tf.constant([[3.0, 4.0]])
print(f"{'':22} guided  guided_too  and recursive=True")
for name, form in forms.items():
    inputs = keras.Input([2])
    model = keras.Model(inputs, form(inputs))
    found = []
    for function, recursive in ((guided, False), (guided_too, False),
                                (guided_too, True)):
        copy = keras.models.clone_model(
            model, clone_function=function, recursive=recursive)
        copy.set_weights(model.get_weights())
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = copy(x) * [[1.0, -1.0]]
        found.append(str(tape.gradient(y, x).numpy()[0]))
    print(f"{name:22} {found[0]}  {found[1]}  {found[2]}")
