"""The chain rule, printed step by step: y = f(f(f(x))) with f(x) = x²."""

import keras
import numpy as np
from keras import ops


@ops.custom_gradient
def square(x):
    def grad(*args, upstream=None):
        if upstream is None:
            (upstream,) = args
        local = 2.0 * x
        return upstream * local

    return x * x, grad


class Square(keras.layers.Layer):
    def call(self, x):
        return square(x)


x = 2.0
# Each Dense layer returns its input, because its bias is 0.
dense = [keras.layers.Dense(1, kernel_initializer="ones") for _ in range(3)]
model = keras.Sequential([keras.Input([1])])
for layer in dense:
    model.add(layer)
    model.add(Square())

steps = keras.Model(model.inputs, [layer.output for layer in model.layers])
values = np.ravel(steps.predict(np.array([[x]]), verbose=0))
inputs, outputs = values[::2], values[1::2]
for n in (0, 1, 2):
    print(f"forward  x = {inputs[n]:g}  y = {outputs[n]:g}")

model.compile(keras.optimizers.SGD(1.0), lambda _, y: y)
model.fit(np.array([[x]]), np.zeros([1, 1]), verbose=0)
upstream = 1.0
for n in (2, 1, 0):
    downstream = -dense[n].get_weights()[1].item()  # the bias was 0
    local = downstream / upstream
    print(f"backward x = {inputs[n]:g}  upstream = {upstream:g}"
          f"  local = {local:g}  downstream = {downstream:g}")
    upstream = downstream

print("dy/dx =", downstream)
print("8 x**7 =", 8.0 * x**7)
