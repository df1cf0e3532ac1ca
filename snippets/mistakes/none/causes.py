"""Where the path ends: in the loss, in the model, or there is no weight."""

import tensorflow as tf
from tensorflow import keras


def where_it_ends(model, loss, x, y):
    with tf.GradientTape(persistent=True) as tape:
        y_pred = model(x, training=True)
        value = tf.reduce_mean(loss(y, y_pred))
    weights = model.trainable_variables
    if not weights:
        return "the model has nothing to train"
    if tape.gradient(value, y_pred) is None:
        return "in the loss"
    missing = [weight.path for weight in weights
               if tape.gradient(y_pred, weight) is None]
    return f"in the model, before {missing}" if missing else "nowhere"


def mean_square(y, p):
    return (y - p) ** 2


def rounds(y, p):
    return (y - tf.round(p)) ** 2


def model(middle, trainable=True):
    return keras.Sequential([
        keras.Input([1]), keras.layers.Dense(1, name="first"), middle,
        keras.layers.Dense(1, name="last")], trainable=trainable)


keras.utils.set_random_seed(0)
x = y = tf.ones([4, 1])
plain = model(keras.layers.Activation("tanh"))
steps = model(keras.layers.Activation(tf.round))
print("a loss that rounds: ", where_it_ends(plain, rounds, x, y))
print("a layer that rounds:", where_it_ends(steps, mean_square, x, y))
plain.trainable = False
print("frozen:             ", where_it_ends(plain, mean_square, x, y))
plain.trainable = True
print("plain:              ", where_it_ends(plain, mean_square, x, y))
