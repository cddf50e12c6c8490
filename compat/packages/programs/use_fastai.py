import numpy as np
import torch
from fastai.basics import *
from fastai.callback.all import *
from fastai.losses import *
from fastai.optimizer import Adam, RAdam, SGD, ranger
set_seed(0)
x = torch.randn(96, 6); y = x[:, :3].argmax(1)
data = torch.utils.data.TensorDataset
dls = DataLoaders(DataLoader(list(zip(x[:64], y[:64])), bs=16, shuffle=True, num_workers=0), DataLoader(list(zip(x[64:], y[64:])), bs=32, num_workers=0))

def net():
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 3))

for opt in (Adam, RAdam, SGD, ranger):
    set_seed(2)
    learn = Learner(dls, net(), loss_func=CrossEntropyLossFlat(), opt_func=opt, metrics=accuracy, cbs=[GradientClip(1.0)])
    with learn.no_bar(), learn.no_logging():
        learn.fit_one_cycle(2, 1e-2, wd=0.01)
    print(opt.__name__, L(learn.recorder.values), learn.recorder.losses[-1])
set_seed(3)
learn = Learner(dls, net(), loss_func=LabelSmoothingCrossEntropy(), metrics=accuracy, cbs=[MixUp(0.4), EarlyStoppingCallback(patience=2)])
with learn.no_bar(), learn.no_logging():
    learn.fit_flat_cos(2, 1e-2)
    preds, targets = learn.get_preds()
print(preds.sum(), targets.sum(), learn.validate())
