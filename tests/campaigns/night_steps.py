"""A process that trains for a whole night: `python -m tests.campaigns.night_steps GIVEN`, as `night` starts it.

It prints, from time to time, what it takes: memory, mappings, open files, the sizes of caches, and the seconds of a step.
"""

import contextlib
import functools
import gc
import io
import itertools
import json
import os
import random
import sys
import tempfile
import time
import types

import numpy as np

import torchlike as torch
from torchlike._base import config
from torchlike._compile import avals, kernels
from torchlike._compile.executors.hot import compiler
from torchlike._record import tree, views
from torchlike._record.caches import caches
from torchlike._record.cell import Cell
from torchlike._record.trace import Trace
from torchlike.autograd.node import Node

nn, optim = torch.nn, torch.optim
EACH = 100  # steps, the next model is made


# -- what is done

class Night:
    """A model, its optimizer and its data, none of which stays for long.

    Args:
        seed: of what is done.
        folder: for checkpoints.
    """

    def __init__(self, seed: int, folder: str):
        self.draw, self.folder = random.Random(seed), folder
        self.models, self.shapes = 0, 0
        self.reload()
        self.renew()

    def renew(self):
        """Another model and optimizer; the old ones are dropped."""
        draw, width = self.draw, self.draw.randint(4, 40)
        inner = draw.choice([nn.Tanh(), nn.ReLU(), nn.LayerNorm(width),
                             nn.Sequential(nn.BatchNorm1d(width), nn.Dropout(0.1))])
        self.model = nn.Sequential(nn.Linear(6, width), inner, nn.Linear(width, 3))
        self.optimizer = draw.choice([
            lambda p: optim.SGD(p, 0.01, momentum=0.9), lambda p: optim.Adam(p, 0.003), lambda p: optim.AdamW(p, 0.003),
            lambda p: optim.RMSprop(p, 0.001), lambda p: optim.Adagrad(p, 0.01)])(self.model.parameters())
        self.schedule = optim.lr_scheduler.CosineAnnealingLR(self.optimizer, 40)
        if draw.random() < 0.3:
            self.model[0].weight.register_hook(lambda g: g * 0.5)
        self.models += 1

    def reload(self):
        """Another data set, read anew."""
        rows = self.draw.randint(20, 60)
        x = np.random.default_rng(rows).standard_normal((rows, 6)).astype(np.float32)
        data = torch.utils.data.TensorDataset(torch.from_numpy(x), torch.tensor(x[:, :3].argmax(1)))
        self.loader = torch.utils.data.DataLoader(data, batch_size=self.draw.randint(2, 8), shuffle=True,
                                                  drop_last=True)
        self.batches = itertools.chain.from_iterable(itertools.repeat(self.loader))

    def train(self):
        """A step with the next batch."""
        x, y = next(self.batches)
        self.optimizer.zero_grad()
        loss = nn.functional.cross_entropy(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        if self.draw.random() < 0.5:
            assert np.isfinite(loss.item())

    def again(self):
        """A step of the same form for the whole night: the one that is timed."""
        x = torch.ones(4, 6, requires_grad=True)
        (x.tanh() * x).sum().backward()
        x.grad.sum().item()

    def new_shape(self):
        """A few operations on a shape that there was not yet."""
        n, m = divmod(self.shapes, 60)
        self.shapes += 1
        x = torch.linspace(0, 1, (n + 2) * (m + 2)).reshape(n + 2, m + 2).requires_grad_()
        ((x * 2).softmax(1).cumsum(0) * x.t().reshape(n + 2, m + 2)).mean().backward()
        assert x.grad.shape == (n + 2, m + 2) and np.isfinite(x.grad.sum().item())

    def change_rate(self):
        """Another learning rate."""
        self.train()
        self.schedule.step()

    def evaluate(self):
        """Without gradients."""
        self.model.eval()
        with torch.no_grad():
            self.model(torch.rand(self.draw.randint(1, 9), 6)).argmax(1).tolist()
        self.model.train()

    def write(self):
        """Views and writes into them."""
        buffer = torch.zeros(self.draw.randint(2, 9), 4)
        buffer[0].add_(1)
        buffer.t()[1].mul_(self.draw.random())
        buffer[buffer > 0.5] = 2
        buffer[:, self.draw.randrange(4)].sum().item()

    def save(self):
        """A checkpoint, in memory or in a file, loaded again."""
        state = {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict(), "rng": torch.get_rng_state()}
        place = io.BytesIO() if self.draw.random() < 0.5 else os.path.join(self.folder, "checkpoint.pt")
        torch.save(state, place)
        if isinstance(place, io.BytesIO):
            place.seek(0)
        found = torch.load(place)
        self.model.load_state_dict(found["model"])
        self.optimizer.load_state_dict(found["optimizer"])
        torch.set_rng_state(found["rng"])

    def fail(self):
        """What raises, and is caught."""
        with contextlib.suppress(RuntimeError, IndexError, TypeError, KeyError, Planned):
            self.draw.choice(FAILURES)(self)

    def transform(self):
        """torch.func and autocast."""
        x = torch.rand(3, 4)
        torch.vmap(torch.func.grad(lambda row: (row.sin() * row).sum()))(x).sum().item()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            (x @ x.t()).sum().item()


class Planned(Exception):
    """Raised by a hook."""


def _raise(*_):
    raise Planned


def _hooked(night):
    out = night.model(torch.ones(4, 6))
    out.register_hook(_raise)
    out.sum().backward()


def _twice(night):
    out = night.model(torch.ones(4, 6)).sum()
    out.backward()
    out.backward()


def _overwritten(night):
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    z = (y * y).sum()
    y.add_(1)
    z.backward()


def _out_of_bounds(night):
    (torch.arange(4.0)[torch.tensor([1, 2]) + 2] * 2).tolist()


FAILURES = (lambda night: night.model(torch.ones(4, 7)), lambda night: torch.ones(2, 3) @ torch.ones(2, 3), _hooked, _twice,
            _overwritten, _out_of_bounds, lambda night: night.model.load_state_dict({}), lambda night: torch.ones(2).view(3),
            lambda night: torch.zeros(3).reshape("x"))

# How often in a hundred steps.
OFTEN = {"again": 40, "train": 25, "write": 8, "evaluate": 6, "change_rate": 6, "fail": 6, "transform": 3, "new_shape": 2,
         "save": 1, "reload": 1}


# -- what it takes

def resident() -> int:
    """The resident bytes of the process."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def _mappings() -> int:
    with open("/proc/self/maps") as file:
        return sum(1 for _ in file)


def bounded() -> dict:
    """(size, bound) of each cache that has one."""
    limits = config.settings
    found = {"tree": (tree.counters["nodes"], limits.max_nodes + limits.max_trace),
             "programs": (sum(len(node.programs) for node in {*caches.kept}), limits.max_programs),
             "kernels": (len(kernels.cache.kernels), limits.max_kernels),
             "avals": (len(avals._INTERNED), avals._LIMIT + 2), "picks": (len(views._PICKED), views._FORMS)}
    for name, cache in _caches_of_functions():
        if cache.cache_parameters()["maxsize"] is not None:
            found[name] = (cache.cache_info().currsize, cache.cache_parameters()["maxsize"])
    return found


def unbounded() -> dict:
    """The sizes of all containers of torchlike's modules, and of caches without a bound: none may grow all night."""
    found = {name: cache.cache_info().currsize for name, cache in _caches_of_functions()
             if cache.cache_parameters()["maxsize"] is None}
    for module in _modules():
        for name, value in vars(module).items():
            if isinstance(value, dict | list | set) and not name.startswith("__"):
                found[f"{module.__name__}.{name}"] = len(value)
    return found


def _modules():
    return [module for name, module in [*sys.modules.items()] if name.partition(".")[0] == "torchlike"]


def _caches_of_functions():
    kind = type(functools.lru_cache(len))
    for module in _modules():
        for name, value in vars(module).items():
            if isinstance(value, kind) and value.__module__ == module.__name__:
                yield f"{module.__name__}.{name}", value


KINDS = (torch.Tensor, Cell, Trace, Node, nn.Module, optim.Optimizer, types.FrameType, types.TracebackType)


def objects() -> dict:
    """How many there are of some kinds. Nothing is compiled meanwhile: a tuple that is being made must have one holder."""
    compiler.wait(60)
    gc.collect()
    living = gc.get_objects()
    return {kind.__name__: sum(issubclass(type(x), kind) for x in living) for kind in KINDS}


def sample(night, step, times) -> dict:
    """What the process takes after so many steps, as JSON has it."""
    now = {"step": step, "resident": resident(), "mappings": _mappings(),
           "files": len(os.listdir("/proc/self/fd")), "models": night.models, "shapes": night.shapes,
           "times": {kind: sorted(values)[len(values) // 2] for kind, values in times.items()}}
    return now | {"bounded": bounded(), "unbounded": unbounded(), "objects": objects()}


def spend(given: dict, report) -> None:
    """A night.

    Args:
        given: "seed" of what is done; "seconds" and "steps", with the first of which it ends; "samples" of what the process
            takes, of which `report` is given each; torchlike's "settings".
    """
    start, until, step, times, taken = time.monotonic(), given["seconds"], 0, {}, 0
    with tempfile.TemporaryDirectory() as folder, torch.configure(**given["settings"]):
        night = Night(given["seed"], folder)
        kinds, weights = [*OFTEN], [*OFTEN.values()]
        while (done := max(step / given["steps"], (time.monotonic() - start) / until)) < 1:
            if done * given["samples"] > taken and times:
                report(sample(night, step, times) | {"seconds": time.monotonic() - start})
                times, taken = {}, int(done * given["samples"]) + 1
            for kind in night.draw.choices(kinds, weights, k=EACH):
                begin = time.thread_time()
                getattr(night, kind)()
                times.setdefault(kind, []).append(time.thread_time() - begin)
            step += EACH
            night.renew()
        report(sample(night, step, times) | {"seconds": time.monotonic() - start})


if __name__ == "__main__":
    spend(json.loads(sys.argv[1]), lambda found: print(json.dumps(found), flush=True))
