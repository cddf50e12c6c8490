import contextlib, io
import numpy as np
import torch
from pytorch_tabnet.pretraining import TabNetPretrainer
from pytorch_tabnet.tab_model import TabNetClassifier, TabNetRegressor
rng = np.random.default_rng(0); x = rng.normal(size=(96, 6)).astype("float32"); y = (x[:, 0] + x[:, 1] > 0).astype(int)
quiet = lambda: contextlib.redirect_stdout(io.StringIO())
for kind, target, options in ((TabNetClassifier, y, {}), (TabNetRegressor, x[:, :1] * 2, {"mask_type": "entmax"})):
    with quiet():
        model = kind(n_d=4, n_a=4, n_steps=2, seed=0, verbose=0, optimizer_params=dict(lr=0.02), **options)
        model.fit(x[:64], target[:64], eval_set=[(x[64:], target[64:])], max_epochs=3, batch_size=32, virtual_batch_size=16, num_workers=0)
    print(kind.__name__, model.history["loss"], model.feature_importances_, np.abs(model.predict(x[64:])).mean(), model.explain(x[:4])[0].sum())
with quiet():
    before = TabNetPretrainer(n_d=4, n_a=4, n_steps=2, seed=0, verbose=0); before.fit(x, eval_set=[x[:32]], max_epochs=2, batch_size=32, virtual_batch_size=16, pretraining_ratio=0.5)
print(before.history["loss"])
