"""Deliberately wrong: four inner steps that the outer tape can't see."""

import keras
import tensorflow as tf

x, query = tf.random.stateless_normal([2, 8, 3], seed=[1, 2])
y, answer = tf.random.stateless_normal([2, 8, 1], seed=[3, 4])
keras.utils.set_random_seed(0)
model = keras.Sequential([
    keras.Input([3]), keras.layers.Dense(1, use_bias=False)])
start = model.get_weights()
rate = tf.Variable(0.1)
mse = keras.losses.MeanSquaredError()


def run(way):
    model.set_weights(start)
    [w] = model.trainable_variables
    outer = tf.GradientTape(persistent=True)
    if way != "inner tape outside":
        outer.__enter__()
    with tf.GradientTape() as inner:
        loss = mse(y, model(x))
    if way == "inner tape outside":
        outer.__enter__()
    [gradient] = inner.gradient(loss, [w.value])
    if way == "stop_gradient":
        gradient = tf.stop_gradient(gradient)
    if way == "assign":
        w.assign_sub(rate * gradient)
        new = w
    elif way == "optimizer":
        keras.optimizers.SGD(0.1).apply_gradients([(gradient, w)])
        new = w
    else:
        new = w - rate * gradient
    loss = mse(answer, model.stateless_call([new], [], query)[0])
    outer.__exit__(None, None, None)
    slopes = outer.gradient(loss, [w.value, rate])
    return slopes[0][:, 0].numpy().round(3), slopes[1]


for way in ("right", "stop_gradient", "inner tape outside", "assign",
            "optimizer"):
    slope, of_rate = run(way)
    text = "None" if of_rate is None else f"{of_rate:.3f}"
    print(f"{way:18}", slope, " rate", text)
