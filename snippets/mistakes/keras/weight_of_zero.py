"""A missing label becomes a number before the loss; its weight stays 0."""

import keras
import numpy as np

keras.utils.set_random_seed(0)
x = np.array([[1.0], [2.0], [3.0]], np.float32)
y = np.array([[2.0], [4.0], [np.nan]], np.float32)
weights = np.isfinite(y[:, 0]).astype(np.float32)

model = keras.Sequential([keras.layers.Dense(1, use_bias=False)])
model.compile(keras.optimizers.SGD(0.1), "mean_squared_error")
fitted = model.fit(
    x, np.nan_to_num(y), sample_weight=weights, epochs=50, verbose=0
)
print("last loss", round(fitted.history["loss"][-1], 4))
print("kernel", model.get_weights()[0].round(3))
