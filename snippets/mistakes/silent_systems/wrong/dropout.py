"""Wrong on purpose: the forward pass that is run again draws other numbers."""

import keras
import tensorflow as tf

tf.random.set_seed(1)


def dropped(x):
    return tf.nn.dropout(x, 0.5)


layer = keras.layers.Dropout(0.5, seed=1)
x = tf.ones([8])
for name, function in (
        ("recompute_grad", tf.recompute_grad(dropped)),
        ("keras.remat", keras.remat(lambda x: layer(x, training=True))),
        ("neither", dropped)):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    print(f"{name:14} y = x *", y.numpy().astype(int))
    print(f"{'':12} dy/dx =", tape.gradient(y, x).numpy().astype(int))
