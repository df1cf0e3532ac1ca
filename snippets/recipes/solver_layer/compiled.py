"""The solver in TensorFlow: it compiles, and a SavedModel contains it."""

import tempfile

import keras
import tensorflow as tf


def condition(y, x, W, k):
    return tf.linalg.matvec(W, y) + k * y**3 - x


def linearized(y, inputs):
    """F, its derivative A with respect to y, and the tape."""
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([y, *inputs])
        F = condition(y, *inputs)
    return F, tape.batch_jacobian(F, y), tape


@tf.function  # or each step of an eager call builds its Jacobian anew
def solve(*inputs):
    """Newton's method, until the largest step is small."""
    def newton(y, _):
        F, A, _ = linearized(y, inputs)
        step = tf.linalg.solve(A, F[:, :, None])[:, :, 0]
        return y - step, tf.reduce_max(tf.abs(step))

    y, _ = tf.while_loop(
        lambda y, size: size > 1e-5, newton,
        (tf.zeros_like(inputs[0]), tf.constant(1.0, inputs[0].dtype)),
        maximum_iterations=50)
    return y


# truth: x.shape.rank == 2; 1 < len(x) < 41; len(x[0]) == 3; x = tf.tanh(x)
# truth: W = tf.linalg.set_diag(0.4 * tf.tanh(W), 2.0 + 0.0 * W[0])
# truth: W.shape == (3, 3); k.shape == (3,); k = 1.0 + tf.tanh(k)
# truth: first derivative only; within 1e-3
@tf.custom_gradient
def solved(x, W, k):
    inputs = x, W, k
    y = solve(*map(tf.stop_gradient, inputs))

    def grad(upstream):
        F, A, tape = linearized(y, inputs)
        w = tf.linalg.solve(A, upstream[:, :, None], adjoint=True)[:, :, 0]
        return [tf.raw_ops.PreventGradient(input=each, message="only once")
                for each in tape.gradient(F, inputs, output_gradients=-w)]

    return y, grad


class Springs(keras.layers.Layer):
    def build(self, shape):
        self.W = self.add_weight(shape=shape[-1:] * 2, initializer="identity")
        self.k = self.add_weight(shape=shape[-1:], initializer="ones")

    def call(self, x):
        x = tf.cast(x, self.compute_dtype)
        return solved(x, *map(tf.convert_to_tensor, (self.W, self.k)))


W = tf.constant([[3.0, -1.0, 0.0], [-0.5, 2.0, -1.0], [0.0, -0.5, 1.5]])
k = tf.constant([0.5, 1.0, 2.0])
x = 3.0 * tf.random.stateless_normal([40, 3], seed=[1, 2])
y = tf.function(solved)(x, W, k)
batch = tf.data.Dataset.from_tensors((x, y))
model = keras.Sequential([keras.Input([3]), Springs()])
model.compile(keras.optimizers.Adam(0.1), "mse", jit_compile=True)
model.fit(batch.repeat(200), shuffle=False, verbose=0)
print("trained under XLA: k =", model.layers[0].k.numpy().round(1))

with tempfile.TemporaryDirectory() as folder:
    model.export(folder, verbose=False)
    loaded = tf.saved_model.load(folder)
    off = tf.reduce_max(tf.abs(loaded.serve(x) - model.predict(x, verbose=0)))
operations = loaded.signatures["serve"].graph.get_operations()
python = any("PyFunc" in operation.type for operation in operations)
print("the loaded model differs by less than 0.0001:", off.numpy() < 1e-4,
      " calls Python:", python)
