"""apply takes two lists, apply_gradients takes pairs."""

import tensorflow as tf
from tensorflow import keras

w = tf.Variable([1.0, 2.0])
for name in "apply", "apply_gradients":
    w.assign([1.0, 2.0])
    optimizer = keras.optimizers.SGD(0.1)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w * w)
    slopes = tape.gradient(loss, [w])
    assert slopes[0].shape == w.shape
    if name == "apply":
        optimizer.apply(slopes, [w])
    else:
        optimizer.apply_gradients(zip(slopes, [w]))
    print(f"{name:15} w {w.numpy()}")
