"""The copies of b in two rows are B b, and their sum is the transpose."""

import tensorflow as tf

B = tf.constant([[1.0, 0.0, 0.0],
                 [0.0, 1.0, 0.0],
                 [0.0, 0.0, 1.0],
                 [1.0, 0.0, 0.0],
                 [0.0, 1.0, 0.0],
                 [0.0, 0.0, 1.0]])
b = tf.constant([2.0, 3.0, 4.0])
upstream = tf.constant([1.0, 2.0, 3.0, 40.0, 50.0, 60.0])

with tf.GradientTape(persistent=True) as tape:
    tape.watch(b)
    b_tilde = tf.reshape(tf.broadcast_to(b, [2, 3]), [6])

downstream_b = tf.linalg.matvec(B, upstream, transpose_a=True)
print("copies       =", b_tilde.numpy())
print("B b          =", tf.linalg.matvec(B, b).numpy())
print("Jacobian is B:", bool(tf.reduce_all(tape.jacobian(b_tilde, b) == B)))
print("B^T upstream =", downstream_b.numpy())
print("autodiff     =", tape.gradient(
    b_tilde, b, output_gradients=upstream).numpy())

rows = tf.TensorSpec([None, 3])
graph = tf.function(lambda x, b: tf.gradients(x * b, b), autograph=False,
                    input_signature=[rows, rows]).get_concrete_function().graph
print("TensorFlow's gradient of *:", [op.type for op in graph.get_operations()
                         if op.type in ("BroadcastGradientArgs", "Sum")])
