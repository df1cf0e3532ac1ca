"""Where the path ends, for each output: in its loss, or in the model."""

import tensorflow as tf
from tensorflow import keras


def where_it_ends(model, losses, x, y):
    with tf.GradientTape(persistent=True) as tape:
        outputs = tf.nest.flatten(model(x, training=True))
        tape.watch(outputs)
        values = [loss and tf.reduce_mean(loss(y, output))
                  for loss, output in zip(losses, outputs)]
        added = model.losses  # from add_loss and regularizers
    names = getattr(model, "output_names",
                    [f"output {n}" for n in range(len(outputs))])
    weights = model.trainable_variables
    if not weights:
        return "the model has nothing to train"
    found, reached = [], set()

    def reaches(value):
        gradients = tape.gradient(value, weights)
        paths = {weight.path for weight, gradient in zip(weights, gradients)
                 if gradient is not None}
        reached.update(paths)
        return bool(paths)

    for name, value, output in zip(names, values, outputs):
        if value is None:
            found.append(f"{name} has no loss")
        elif not reaches(value) and tape.gradient(value, output) is None:
            found.append(f"in the loss of {name}")
    for number, value in enumerate(added):
        if not reaches(value):
            found.append(f"in model.losses[{number}]")
    missing = [each.path for each in weights if each.path not in reached]
    if missing:
        found.append(f"no gradient for {missing}")
    return "; ".join(found) or "nowhere"


def square(y, p):
    return (y - p) ** 2


def rounds(y, p):
    return (y - tf.round(p)) ** 2


class Center(keras.layers.Layer):
    """Adds the squared distance from a center that only this loss trains."""

    def __init__(self, change):
        super().__init__(name="center")
        self.change = change

    def build(self, shape):
        self.center = self.add_weight(shape=(1,), name="center")

    def call(self, x):
        distance = tf.stop_gradient(x) - self.change(self.center)
        self.add_loss(tf.reduce_mean(distance ** 2))
        return x


def model(middle):
    inputs = keras.Input([1])
    shared = keras.layers.Dense(1, name="shared", use_bias=False)(inputs)
    heads = [keras.layers.Dense(1, name=name, use_bias=False)(middle(shared))
             for name in ("price", "mood")]
    return keras.Model(inputs, heads)


keras.utils.set_random_seed(0)
x = y = tf.ones([4, 1])
plain, steps = model(keras.ops.tanh), model(keras.layers.Activation(tf.round))
print("right:       ", where_it_ends(plain, [square, square], x, y))
print("unused head: ", where_it_ends(plain, [square, None], x, y))
print("loss rounds: ", where_it_ends(plain, [square, rounds], x, y))
print("layer rounds:", where_it_ends(steps, [square, square], x, y))
for name, change in ("add_loss:", tf.identity), ("it rounds:", tf.round):
    centered = model(Center(change))
    print(f"{name:13}", where_it_ends(centered, [square, square], x, y))
classifier = keras.Sequential([
    keras.Input([1]), keras.layers.Dense(2, "softmax")])
entropy = keras.losses.SparseCategoricalCrossentropy()
print("entropy:     ", where_it_ends(classifier, [entropy], x, tf.ones([4])))
plain.trainable = False
print("frozen:      ", where_it_ends(plain, [square, square], x, y))
