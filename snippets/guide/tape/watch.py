"""What a tape watches automatically, and what tape.watch adds."""

import tensorflow as tf

w = tf.Variable(3.0, name="w")
frozen = tf.Variable(4.0, name="frozen", trainable=False)
x = tf.constant(2.0)


def gradients(case, before=(), after=(), automatic=True):
    with tf.GradientTape(watch_accessed_variables=automatic) as tape:
        for tensor in before:
            tape.watch(tensor)
        u = w * frozen * x
        for tensor in after:
            tape.watch(tensor)
        L = u * u
    names = [v.name for v in tape.watched_variables()]
    found = tape.gradient(L, [w, frozen, x, u])
    print(f"{case:22}",
          *(f"{'None' if g is None else g.numpy():>6}" for g in found),
          "", names)


print("u =", (w * frozen * x).numpy())
print(f"{'':22}      w frozen      x      u")
gradients("automatic")
gradients("automatic, x", [x])
gradients("automatic, x, frozen", [x, frozen])
gradients("nothing", automatic=False)
gradients("frozen", [frozen], automatic=False)
gradients("x, too late", after=[x], automatic=False)
gradients("w, frozen, too late", after=[w, frozen], automatic=False)
