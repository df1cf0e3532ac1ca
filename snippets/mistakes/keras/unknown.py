"""The optimizer is built with all variables that it will see."""

import tensorflow as tf
from tensorflow import keras

first, second = tf.Variable(1.0), tf.Variable(1.0)
optimizer = keras.optimizers.SGD(0.1)
optimizer.build([first, second])
optimizer.apply_gradients([(tf.constant(0.5), first)])
optimizer.apply_gradients([(tf.constant(0.5), second)])
print(f"first {first.numpy():.2f}  second {second.numpy():.2f}"
      f"  by hand {1.0 - 0.1 * 0.5:.2f}")
