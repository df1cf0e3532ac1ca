"""A layer whose output a NumPy solver computes, and its gradient."""

import keras
import numpy as np
import tensorflow as tf


def solve(x, W, k):
    """Foreign code, one example at a time: W y + k y**3 = load."""
    y = np.zeros(x.shape)
    for i, load in enumerate(x):
        for _ in range(50):  # Newton's method
            error = W @ y[i] + k * y[i]**3 - load
            if np.max(np.abs(error)) < 1e-12:
                break
            y[i] -= np.linalg.solve(W + np.diag(3.0 * k * y[i]**2), error)
    return y.astype(x.dtype)


def condition(y, x, W, k):
    """The same equations in TensorFlow, for a batch: 0 at the solution."""
    return tf.linalg.matvec(W, y) + k * y**3 - x


# truth: x.shape.rank == 2; len(x) > 0; len(x[0]) == 3; x = tf.tanh(x)
# truth: W = tf.linalg.set_diag(0.4 * tf.tanh(W), 2.0 + 0.0 * W[0])
# truth: W.shape == (3, 3); k.shape == (3,); k = 1.0 + tf.tanh(k)
# truth: first derivative only; within 1e-3
@tf.custom_gradient
def solved(x, W, k):
    inputs = x, W, k
    y = tf.ensure_shape(tf.numpy_function(solve, inputs, x.dtype), x.shape)

    def grad(upstream):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([y, *inputs])
            F = condition(y, *inputs)
        A = tape.batch_jacobian(F, y)  # one matrix for each example
        w = tf.linalg.solve(A, upstream[:, :, None], adjoint=True)[:, :, 0]
        return [tf.raw_ops.PreventGradient(input=each, message="only once")
                for each in tape.gradient(F, inputs, output_gradients=-w)]

    return y, grad


class Springs(keras.layers.Layer):
    """Springs that stiffen as they stretch: from the loads to the shifts."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_jit = False  # XLA can't call NumPy

    def build(self, shape):
        self.W = self.add_weight(shape=shape[-1:] * 2, initializer="identity")
        self.k = self.add_weight(shape=shape[-1:], initializer="ones")

    def call(self, x):
        x = tf.cast(x, self.compute_dtype)  # also an integer
        return solved(x, *map(tf.convert_to_tensor, (self.W, self.k)))


W = np.array([[3.0, -1.0, 0.0], [-0.5, 2.0, -1.0], [0.0, -0.5, 1.5]])
k = np.array([0.5, 1.0, 2.0])
x = 3.0 * np.random.default_rng(0).standard_normal([40, 3])
y = solve(x, W, k)

inputs = [tf.constant(each) for each in (x, W, k)]
with tf.GradientTape() as tape:
    tape.watch(inputs)
    loss = tf.reduce_sum(tf.sin(solved(*inputs)))
for i, gradient in enumerate(tape.gradient(loss, inputs)):
    change = np.random.default_rng(i).standard_normal(gradient.shape)
    moved = [[x, W, k], [x, W, k]]
    moved[0][i], moved[1][i] = (
        moved[0][i] + 1e-6 * change, moved[0][i] - 1e-6 * change)
    plus, minus = (np.sum(np.sin(solve(*values))) for values in moved)
    print(f"{'xWk'[i]}: custom gradient {np.sum(gradient * change):8.4f}"
          f"  finite differences {(plus - minus) / 2e-6:8.4f}")

model = keras.Sequential([Springs(dtype="float64")])
model.compile(keras.optimizers.Adam(0.05), "mse")
model.fit(x, y, batch_size=16, epochs=100, shuffle=False, verbose=0)
print("trained: k =", model.layers[0].k.numpy().round(2))
print("W =", (model.layers[0].W.numpy().round(2) + 0.0).tolist())
