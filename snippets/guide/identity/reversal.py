"""A feature trained for, without and against its domain loss."""

import tensorflow as tf


def back_through(scale):
    # truth: upstream becomes scale * upstream
    @tf.custom_gradient
    def identity(x):
        return tf.identity(x), lambda upstream: scale * upstream

    return identity


# Column 0 tells the label anywhere, column 1 in the source domain only.
label = tf.constant([[1.0], [-1.0]] * 100)
noise = tf.random.stateless_normal([400, 2], seed=[1, 2])
x = noise + tf.concat([tf.concat([label, 2.0 * label - 1.0], 1),
                       tf.concat([label, 0.0 * label + 1.0], 1)], 0)
domain = tf.repeat([[0.0], [1.0]], 200, axis=0)


def loss(z, logit):
    return tf.reduce_mean(
        tf.nn.sigmoid_cross_entropy_with_logits(z, logit))


def train(scale):
    w = tf.Variable([[0.5], [0.5]])    # makes the feature
    a = tf.Variable([1.0, 0.0])        # reads the label off it
    c = tf.Variable([0.0, 0.0])        # reads the domain off it
    for _ in range(200):
        with tf.GradientTape() as tape:
            f = x @ w
            q = f[:200] * a[0] + a[1]  # labels are known in the source
            r = back_through(scale)(f) * c[0] + c[1]
            total = loss((label + 1.0) / 2.0, q) + loss(domain, r)
        for v, g in zip((w, a, c), tape.gradient(total, [w, a, c])):
            v.assign_sub(0.2 * g)
    logit = f[200:] * a[0] + a[1]
    right = tf.math.count_nonzero((logit > 0.0) == (label > 0.0))
    return *w.numpy()[:, 0], loss(domain, r).numpy(), right.numpy()


for scale, what in ((1.0, "for"), (0.0, "ignored"), (-1.0, "against"),
                    (-3.0, "against")):
    w0, w1, domain_loss, right = train(scale)
    print(f"upstream times {scale:4}  {what:7}  w = {w0:.3f} {w1:.3f}"
          f"  domain loss {domain_loss:.3f}  right in the target: {right}")

f, a, c, lambda_ = tf.constant(2.0), tf.Variable(3.0), tf.Variable(5.0), 0.5
with tf.GradientTape() as tape:
    tape.watch(f)
    q, r = a * f, c * back_through(-lambda_)(f)
bars = q_bar, r_bar = tf.constant(1.0), tf.constant(10.0)
f_bar, a_bar, c_bar = tape.gradient([q, r], [f, a, c], output_gradients=bars)
print("one number: f_bar", f_bar.numpy(), " a_bar", a_bar.numpy(),
      " c_bar", c_bar.numpy())
