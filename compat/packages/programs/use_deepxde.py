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
for optimizer, steps in (("adam", 5), ("L-BFGS", 5)):
    with contextlib.redirect_stdout(io.StringIO()):
        if optimizer == "adam": model = dde.Model(data, dde.nn.FNN([1, 16, 16, 1], "tanh", "Glorot uniform"))
        else: dde.optimizers.config.set_LBFGS_options(maxiter=2)
        model.compile(optimizer, lr=1e-2, metrics=["l2 relative error"]) if optimizer == "adam" else model.compile(optimizer)
        history, state = model.train(iterations=steps, display_every=10) if optimizer == "adam" else model.train()
    print(optimizer, history.loss_train[-1], history.loss_test[-1])
print(model.predict(np.linspace(-1, 1, 5)[:, None]).ravel())
