"""What the programs of models share."""

import importlib.util
import pathlib
import sys
import types

import torch


def of_file(package, name):
    """The module of one file of a package; of the package's other files only what it imports is imported, too."""
    if package not in sys.modules:
        places = importlib.util.find_spec(package).submodule_search_locations
        sys.modules[package] = types.ModuleType(package)
        sys.modules[package].__path__ = list(places)
    path = pathlib.Path(sys.modules[package].__path__[0]) / name
    spec = importlib.util.spec_from_file_location(f"{package}.{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def train(model, loss_of, steps=4):
    """Some steps of AdamW; prints each loss and the norm of the gradients."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for i in range(steps):
        loss = loss_of(model)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(i, loss, torch.stack([p.grad.norm() for p in model.parameters() if p.grad is not None]).norm())
    print(sum(p.numel() for p in model.parameters()))


def classify(model, *shape, classes=10):
    """`train` on random images of that shape and random classes, then the values of the first."""
    x, y = torch.randn(*shape), torch.randint(classes, shape[:1])
    train(model, lambda model: torch.nn.functional.cross_entropy(model(x), y))
    print(model.eval()(x)[0])
