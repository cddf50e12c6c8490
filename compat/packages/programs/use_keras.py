import os
import tempfile
os.environ["KERAS_BACKEND"] = "torch"
import keras
import numpy as np
import torch
from keras import layers
keras.utils.set_random_seed(0)
x = np.random.default_rng(0).normal(size=(64, 8)).astype("float32"); y = x[:, :3].argmax(1)

def fit(model, x, y, **options):
    model.compile(optimizer=options.pop("optimizer", "adam"), loss=options.pop("loss", "sparse_categorical_crossentropy"), metrics=options.pop("metrics", ["accuracy"]))
    history = model.fit(x, y, batch_size=16, epochs=2, shuffle=False, verbose=0, **options)
    print(model.name, {k: np.round(v, 5).tolist() for k, v in history.history.items()})
    return model

model = fit(keras.Sequential([layers.Dense(16, activation="relu"), layers.BatchNormalization(), layers.Dense(3, activation="softmax")], name="dense"), x, y, validation_split=0.25)
with tempfile.TemporaryDirectory() as folder:
    model.save(f"{folder}/m.keras"); again = keras.models.load_model(f"{folder}/m.keras"); print(np.abs(again.predict(x, verbose=0) - model.predict(x, verbose=0)).max())
images = np.random.default_rng(1).normal(size=(16, 12, 12, 3)).astype("float32")
fit(keras.Sequential([layers.Conv2D(4, 3, activation="gelu"), layers.MaxPooling2D(), layers.DepthwiseConv2D(3, padding="same"), layers.GlobalAveragePooling2D(), layers.Dense(3)], name="conv"), images, y[:16], loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True), optimizer=keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True))
words = np.random.default_rng(2).integers(0, 20, (32, 6))
fit(keras.Sequential([layers.Embedding(20, 8), layers.LSTM(8, return_sequences=True), layers.GRU(6), layers.Dense(1, activation="sigmoid")], name="rnn"), words, (words.sum(1) % 2), loss="binary_crossentropy", optimizer=keras.optimizers.RMSprop(0.01))
inputs = keras.Input((6, 8)); h = layers.MultiHeadAttention(2, 4)(inputs, inputs); h = layers.LayerNormalization()(h + inputs); outputs = layers.Dense(1)(layers.Flatten()(h))
fit(keras.Model(inputs, outputs, name="attention"), np.random.default_rng(3).normal(size=(32, 6, 8)).astype("float32"), np.ones((32, 1), "float32"), loss="mse", metrics=["mae"], optimizer=keras.optimizers.AdamW(0.01))
print(keras.ops.softmax(torch.ones(2, 3)).sum(), keras.ops.einsum("ij,kj->ik", torch.ones(2, 3), torch.ones(4, 3)), keras.ops.image.resize(torch.ones(1, 4, 4, 1), (2, 2)).shape, keras.random.normal((3,), seed=keras.random.SeedGenerator(1)))


class Own(keras.layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=(shape[-1], 2), initializer="ones")

    def call(self, x):
        return keras.ops.matmul(x, self.w)


own = Own(); out = own(torch.ones(3, 4, requires_grad=True)); out.sum().backward(); print(out, own.w.value.grad)
