"""What a tape watches automatically, and what tape.watch adds."""

import tensorflow as tf

w = tf.Variable(3.0, name="w")
frozen = tf.Variable(4.0, name="frozen", trainable=False)
x = tf.constant(2.0)


def slopes(watch_early, watch_late=(), automatic=True):
    with tf.GradientTape(watch_accessed_variables=automatic) as tape:
        for tensor in watch_early:
            tape.watch(tensor)
        u = w * frozen * x
        for tensor in watch_late:
            tape.watch(tensor)
        L = u * u
    names = [v.name for v in tape.watched_variables()]
    found = tape.gradient(L, [w, frozen, x, u])
    print(*(f"{'None' if s is None else s.numpy():>6}" for s in found),
          "", names)


print("u =", (w * frozen * x).numpy())
print("     w frozen      x      u")
slopes([])
slopes([x])
slopes([x, frozen])
slopes([], automatic=False)
slopes([frozen], automatic=False)
slopes([], watch_late=[x], automatic=False)
slopes([], watch_late=[w, frozen], automatic=False)
