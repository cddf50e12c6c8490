import os
os.environ["DDE_BACKEND"] = "pytorch"
import contextlib, io
import numpy as np
import torch
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    import deepxde as dde
    dde.config.set_default_float("float64")
    dde.config.set_random_seed(0)

def pde(x, y):
    return dde.grad.hessian(y, x) + np.pi ** 2 * torch.sin(np.pi * x)

space = dde.geometry.Interval(-1, 1)
condition = dde.icbc.DirichletBC(space, lambda x: np.sin(np.pi * x), lambda x, on: on)
data = dde.data.PDE(space, pde, condition, 8, 2, solution=lambda x: np.sin(np.pi * x), num_test=20, train_distribution="uniform")
with contextlib.redirect_stdout(io.StringIO()):
    model = dde.Model(data, dde.nn.FNN([1, 16, 16, 1], "tanh", "Glorot uniform"))
for optimizer in ("adam", "rmsprop", "adam"):
    with contextlib.redirect_stdout(io.StringIO()):
        model.compile(optimizer, lr=1e-3, metrics=["l2 relative error"])
        history, state = model.train(iterations=5, display_every=5)
    print(optimizer, history.loss_train[-1], history.loss_test[-1], history.metrics_test[-1])
print(model.predict(np.linspace(-1, 1, 5)[:, None]).ravel())
