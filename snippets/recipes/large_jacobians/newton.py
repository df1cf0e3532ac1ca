"""Gauss-Newton steps by conjugate gradients: in fit, and in a loop."""

import keras
import tensorflow as tf

keras.config.set_floatx("float64")  # conjugate gradients need the digits
x = tf.linspace(tf.constant([-1.0], tf.float64), [1.0], 64)
y = tf.sin(4.0 * x)


def flat(parts):
    return tf.concat([tf.reshape(part, [-1]) for part in parts], 0)


class Matrix(tf.linalg.LinearOperator):  # known only by its product
    def __init__(self, product, size):
        super().__init__(
            tf.float64, is_self_adjoint=True, is_positive_definite=True)
        self.product, self.size = product, size

    def _shape(self):
        return tf.TensorShape([self.size, self.size])

    def _matmul(self, v, adjoint=False, adjoint_arg=False):
        return self.product(v[:, 0])[:, None]


class GaussNewton(keras.Model):  # for a loss that is a mean of squares
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.damping = self.add_weight(
            shape=[], initializer=keras.initializers.Constant(0.01),
            trainable=False)

    def train_step(self, data):
        x, y = data
        weights = self.trainable_variables

        def errors():
            return self(x, training=True) - y  # of the same shape

        def product(v):  # (2 / count J^T J + damping) v
            with tf.GradientTape() as second:
                with tf.GradientTape(persistent=True) as first:
                    r = errors()
                u = tf.zeros_like(r)
                second.watch(u)
                JTu = flat(first.gradient(r, weights, u))
            Jv = second.gradient(JTu, u, v)
            HJv = 2.0 * Jv / tf.cast(tf.size(r), r.dtype)
            return flat(first.gradient(r, weights, HJv)) + self.damping * v

        def move(d):
            parts = tf.split(d, [tf.size(w) for w in weights])
            for w, part in zip(weights, parts):
                w.assign_add(tf.reshape(part, w.shape))

        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(errors()))
        g = flat(tape.gradient(loss, weights))
        d = tf.linalg.experimental.conjugate_gradient(
            Matrix(product, g.shape[0]), -g, tol=1e-3, max_iter=30).x
        move(d)
        better = tf.reduce_mean(tf.square(errors())) < loss
        move(tf.where(better, 0.0 * d, -d))
        self.damping.assign(self.damping * tf.where(better, 0.3, 4.0))
        return {"mse": loss}  # Keras replaces a lone "loss"


def build(kind):
    keras.utils.set_random_seed(0)
    inputs = keras.Input([1])
    hidden = keras.layers.Dense(10, "tanh")(inputs)
    return kind(inputs, keras.layers.Dense(1)(hidden))


def report(name, model):
    loss = float(tf.reduce_mean(tf.square(model(x) - y)))
    print(f"{name:18} loss {loss:.0e}")


model = build(GaussNewton)
model.compile()
model.fit(x, y, batch_size=64, epochs=20, verbose=0)
report("fit, 20 steps", model)

model = build(GaussNewton)
step = tf.function(model.train_step)
for _ in range(20):
    step((x, y))
report("a loop, 20 steps", model)

model = build(keras.Model)
model.compile(keras.optimizers.Adam(0.01), "mse")
many = tf.data.Dataset.from_tensors((x, y)).repeat(400)
model.fit(many, shuffle=False, verbose=0)
report("Adam, 400 steps", model)
