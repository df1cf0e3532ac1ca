"""LoRA in an existing transformer, trained in fit and in a loop."""

import tempfile

import keras
import numpy as np
import tensorflow as tf

layers, SIZE = keras.layers, 32
x = np.random.default_rng(0).integers(0, SIZE, [128, 8])


def build():
    keras.utils.set_random_seed(0)
    inputs = keras.Input([8], dtype="int32")
    h = layers.Embedding(SIZE, 32)(inputs)
    normed = layers.LayerNormalization()(h)
    h = h + layers.MultiHeadAttention(2, 16)(
        normed, normed, use_causal_mask=True)
    normed = layers.LayerNormalization()(h)
    h = h + layers.Dense(32)(layers.Dense(128, "gelu")(normed))
    outputs = layers.Dense(SIZE, dtype="float32")(h)
    return keras.Model(inputs, outputs)


loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def add_lora(model, rank):
    """Dense layers and convolutions get factors; the rest is frozen."""
    for layer in model._flatten_layers():  # also those inside attention
        if hasattr(layer, "enable_lora") and hasattr(layer, "kernel"):
            layer.enable_lora(rank)
    for w in model.trainable_variables:  # biases, norms, embeddings
        w.trainable = w.name.startswith("lora")


def adapted():
    model = build()
    model.set_weights(base.get_weights())
    add_lora(model, rank=4)  # before compile
    return model, keras.optimizers.Adam(0.02)


base = build()  # stands for the model that you load
y = (x + 1) % SIZE
print(f"before: loss {loss_of(y, base(x)):.1f}")

model, adam = adapted()
kernels = [w.numpy() for w in model.non_trainable_variables]
model.compile(adam, loss_of)
model.fit(x, y, batch_size=128, epochs=20, verbose=0)
print(f"fit:    loss {loss_of(y, model(x)):.2f}")
print(f"trained: {sum(np.size(w) for w in model.trainable_variables)}"
      f" of {base.count_params()} weights; others unchanged:",
      all(map(np.array_equal, kernels, model.non_trainable_variables)))

fitted = model(x)

model, adam = adapted()


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_of(y, model(x, training=True))
    weights = model.trainable_variables
    adam.apply_gradients(zip(tape.gradient(loss, weights), weights))


for _ in range(20):
    step(x, y)
print("loop equals fit:  ", np.allclose(fitted, model(x), atol=1e-2))
with tempfile.TemporaryDirectory() as folder:
    model.save_weights(folder + "/a.weights.h5")  # kernel + A @ B
    base.load_weights(folder + "/a.weights.h5")  # has no LoRA
print("merged equals LoRA:", np.allclose(base(x), model(x), atol=1e-4))
