"""Which rows an optimizer changes in a step that looks up only row 0."""

import keras
import numpy as np
import tensorflow as tf

optimizers = keras.optimizers
for name, make in {
        "SGD": lambda: optimizers.SGD(0.1),
        "SGD, momentum": lambda: optimizers.SGD(0.1, momentum=0.9),
        "Adagrad": lambda: optimizers.Adagrad(0.1),
        "RMSprop": lambda: optimizers.RMSprop(0.1),
        "Adam": lambda: optimizers.Adam(0.1),
        "AdamW": lambda: optimizers.AdamW(0.1, weight_decay=0.1)}.items():
    changed = []
    for dense in False, True:
        W, optimizer = keras.Variable(np.ones((4, 1))), make()
        for i in [0, 1], [0]:
            gradient = tf.IndexedSlices(
                tf.ones([len(i), 1]), tf.constant(i), tf.constant([4, 1]))
            if dense:
                gradient = tf.convert_to_tensor(gradient)
            before = W.numpy()
            optimizer.apply([gradient], [W])
        changed.append(np.flatnonzero(W.numpy() != before).tolist())
    print(f"{name:14} row 0 alone changes {changed[0]},"
          f" as a dense gradient {changed[1]}")
