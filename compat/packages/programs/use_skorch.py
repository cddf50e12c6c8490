import numpy as np
import torch
from sklearn.datasets import make_classification, make_regression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from skorch import NeuralNetClassifier, NeuralNetRegressor
from skorch.callbacks import EarlyStopping, LRScheduler

torch.manual_seed(0)
X, y = make_classification(200, 20, n_informative=10, random_state=0)
X = X.astype(np.float32)


class Net(torch.nn.Module):
    def __init__(self, units=10, inputs=20, outputs=2):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(inputs, units), torch.nn.ReLU(), torch.nn.Dropout(0.2),
                                          torch.nn.Linear(units, outputs))

    def forward(self, X):
        return self.layers(X)


net = NeuralNetClassifier(Net, max_epochs=4, lr=0.1, criterion=torch.nn.CrossEntropyLoss, iterator_train__shuffle=True, verbose=0,
                          callbacks=[EarlyStopping(patience=2), LRScheduler("StepLR", step_size=2)])
net.fit(X, y)
print(net.history[:, ("train_loss", "valid_loss", "valid_acc")])
print(net.predict(X[:10]), net.predict_proba(X[:3]))
torch.manual_seed(1)
search = GridSearchCV(Pipeline([("scale", StandardScaler()), ("net", net)]), {"net__lr": [0.02, 0.2], "net__module__units": [5]},
                      refit=False, cv=2, scoring="accuracy")
search.fit(X, y.astype(np.int64))
print(search.cv_results_["mean_test_score"])
X, y = make_regression(100, 20, noise=1, random_state=0)
torch.manual_seed(2)
net = NeuralNetRegressor(Net, module__outputs=1, max_epochs=3, lr=1e-3, optimizer=torch.optim.Adam, verbose=0)
net.fit(X.astype(np.float32), (y / 100).astype(np.float32)[:, None])
print(net.history[:, "train_loss"])
