"""Deliberately wrong: a loop that leaves out three things that fit does."""

import keras
import tensorflow as tf

x = tf.random.stateless_normal([32, 3], seed=[1, 2])
y = tf.linalg.matvec(x, [1.0, 2.0, 3.0])  # shape (32,)


def new_model():
    keras.utils.set_random_seed(0)
    model = keras.Sequential([
        keras.Input([3]), keras.layers.BatchNormalization(momentum=0.5),
        keras.layers.Dense(1, kernel_regularizer=keras.regularizers.L2(0.1))])
    model.compile(keras.optimizers.SGD(0.1), "mse")
    return model


def show(name, model):
    normalization, dense = model.layers
    print(f"{name:4} kernel", dense.kernel[:, 0].numpy().round(2) + 0.0,
          " moving mean", normalization.moving_mean.numpy().round(2) + 0.0)


fitted = new_model()
fitted.fit(x, y, batch_size=32, epochs=50, verbose=0)
show("fit", fitted)
model = new_model()
weights = model.trainable_variables
for _ in range(50):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x) - y))
    model.optimizer.apply(tape.gradient(loss, weights), weights)
show("loop", model)
