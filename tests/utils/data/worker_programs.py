"""Programs that use workers, each run as one of its own: ``python -m tests.utils.data.worker_programs torch|torchlike OUT``.

Every data set is one of ``__main__``. JAX warns of any fork after it has started, torch's too: each library has a process.
"""

import collections
import concurrent.futures
import gc
import importlib
import os
import pickle
import random
import re
import signal
import sys
import threading
import time
import traceback
import warnings

import numpy as np

t = importlib.import_module(sys.argv[1]) if __name__ == "__main__" else importlib.import_module("torchlike")
D = t.utils.data
LIMIT = 30  # seconds a program may take
X = t.arange(24.0).reshape(12, 2)
Point = collections.namedtuple("Point", "x y")


class Set(D.Dataset):
    """12 samples, whatever `function` makes of their numbers."""

    def __init__(self, function=int, count=12):
        self.function, self.count = function, count

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        return self.function(i)


class Stream(D.IterableDataset):
    """Numbers; `shared` out between the workers or not."""

    def __init__(self, count, shared=False, told=None, fails=None):
        self.count, self.shared, self.told, self.fails = count, shared, told, fails

    def __len__(self):
        return self.told

    def __iter__(self):
        info = D.get_worker_info()
        for i in range(info.id if self.shared else 0, self.count, info.num_workers if self.shared else 1):
            if i == self.fails:
                raise ValueError(f"at {i}")
            yield i


class Two(Exception):
    """Cannot be made of a text alone."""

    def __init__(self, a, b):
        super().__init__(a, b)


class WithMessage(Exception):
    """Wants its text by name."""

    message = "m"

    def __init__(self, message):
        super().__init__(message)
        self.message = message


class Eager(D.Sampler):
    """Draws when it is asked for an iterator."""

    def __iter__(self):
        return iter(t.randperm(6).tolist())

    def __len__(self):
        return 6


def load(dataset, epochs=1, **options):
    """All batches of some epochs."""
    loader = D.DataLoader(dataset, **{"num_workers": 2, **options})
    return [list(loader) for _ in range(epochs)]


def failing(kind, *args):
    """A function that raises for sample 5."""
    def function(i):
        if i == 5:
            raise kind(*args)
        return i
    return function


def dying(how):
    """A function that ends its process at sample 5."""
    def function(i):
        if i == 5:
            how()
        return i
    return function


def until_error(loader):
    """The batches before an error, the error, and those after it."""
    found, batches = [], iter(loader)
    while True:
        try:
            found.append(next(batches))
        except StopIteration:
            return found
        except Exception as error:  # noqa: BLE001 - compared
            found.append(described(error))


def described(error):
    """Type, first and last line: the traceback between them is each library's own."""
    lines = re.sub(r"0x\w+|\d{2,}", "N", str(error)).strip().splitlines()
    return type(error).__name__, lines[0], lines[-1]


def drawn(i):
    """Random numbers of every kind."""
    return t.rand(2), random.random(), np.random.rand(), D.get_worker_info().seed, D.get_worker_info().id


def late(i):
    """The first sample takes its time."""
    time.sleep(0.5 if i == 0 else 0)
    return i


def broken_off():
    """Some batches of one pass, then another."""
    loader = D.DataLoader(Set(), num_workers=2, persistent_workers=True, shuffle=True)
    first = [b for b, _ in zip(loader, range(3), strict=False)]
    return first, list(loader)


PROGRAMS = {
    "numbers": lambda: load(Set(), batch_size=5, shuffle=True, epochs=2),
    "one worker": lambda: load(Set(), batch_size=5, num_workers=1, drop_last=True),
    "three workers": lambda: load(Set(), batch_size=1, num_workers=3, prefetch_factor=1),
    "no batches": lambda: load(Set(lambda i: X[i]), batch_size=None),
    "tensors": lambda: load(D.TensorDataset(X, X.sum(1)), batch_size=4, shuffle=True),
    "computed": lambda: load(Set(lambda i: ((X[i] * 2 + 1).abs(), X.sum() / (i + 1))), batch_size=4),
    "written": lambda: load(Set(lambda i: t.zeros(3).index_fill_(0, t.tensor([i % 3]), 7.0)), batch_size=4),
    "dtypes": lambda: load(Set(lambda i: tuple(t.tensor([i, 1]).to(d) for d in (
        t.bfloat16, t.float16, t.float64, t.int8, t.bool, t.complex64, t.uint8))), batch_size=4),
    "containers": lambda: load(Set(lambda i: {"a": Point(i, str(i)), "b": [np.float32(i), np.arange(2)]}), batch_size=4),
    "objects": lambda: load(Set(lambda i: (None, i, b"x", {1, 2})), batch_size=2, collate_fn=lambda batch: batch),
    "views": lambda: load(Set(lambda i: (X[i], X.t(), X[:, 1])), batch_size=None)[0][2:4],
    "random numbers": lambda: load(Set(drawn), batch_size=3, epochs=2, generator=t.Generator().manual_seed(1)),
    "random numbers, default": lambda: load(Set(drawn), batch_size=3, epochs=2),
    "persistent": lambda: load(Set(drawn), batch_size=3, epochs=3, persistent_workers=True, shuffle=True),
    "persistent, broken off": broken_off,
    "eager sampler": lambda: load(Set(), sampler=Eager(), batch_size=None),
    "info": lambda: load(Set(lambda i: (i, D.get_worker_info().num_workers, D.get_worker_info().dataset.count,
                                        D.get_worker_info().rng, D.get_worker_info().worker_method)), batch_size=None),
    "worker_init_fn": lambda: load(Set(lambda i: os.environ["WORKER"]), batch_size=3,
                                   worker_init_fn=lambda i: os.environ.update(WORKER=f"w{i}")),
    "slow first, in order": lambda: load(Set(late), batch_size=1),
    "slow first, any order": lambda: [b.item() for b in load(Set(late), batch_size=1, in_order=False)[0]][-1],
    "one worker, any order": lambda: load(Set(), batch_size=1, num_workers=1, in_order=False),
    "stream": lambda: load(Stream(5), batch_size=2, epochs=2),
    "stream shared": lambda: load(Stream(9, shared=True), batch_size=2, epochs=2),
    "stream shared, drop_last": lambda: load(Stream(9, shared=True), batch_size=2, drop_last=True),
    "stream persistent": lambda: load(Stream(9, shared=True), batch_size=2, epochs=3, persistent_workers=True),
    "stream without batches": lambda: load(Stream(5, shared=True), batch_size=None),
    "stream longer than told": lambda: (len(loader := D.DataLoader(Stream(2, told=2), num_workers=2)), list(loader)),
    "stream of one": lambda: load(Stream(1, shared=True), batch_size=2),
    "empty": lambda: load(Set(count=0)),
    "leaf with gradient": lambda: load(Set(lambda i: X[i].clone().requires_grad_()), batch_size=None)[0][:2],
    "result with history": lambda: until_error(D.DataLoader(
        Set(lambda i: i + X[i].clone().requires_grad_()), num_workers=1, collate_fn=lambda b: b[0].detach())),
    "collating with gradient": lambda: until_error(D.DataLoader(
        Set(lambda i: t.ones(2, requires_grad=True)), num_workers=1)),
    "error": lambda: until_error(D.DataLoader(Set(failing(ValueError, "no\nfive")), batch_size=4, num_workers=2)),
    "KeyError": lambda: until_error(D.DataLoader(Set(failing(KeyError, "five")), batch_size=4, num_workers=2)),
    "two arguments": lambda: until_error(D.DataLoader(Set(failing(Two, 1, 2)), batch_size=4, num_workers=2)),
    "message": lambda: until_error(D.DataLoader(Set(failing(WithMessage, "hm")), batch_size=4, num_workers=1)),
    "StopIteration": lambda: until_error(D.DataLoader(Set(failing(StopIteration)), batch_size=4, num_workers=1)),
    "torch's error": lambda: until_error(D.DataLoader(Set(lambda i: t.ones(2) + t.ones(3)), batch_size=6, num_workers=1)),
    "error in a stream": lambda: until_error(D.DataLoader(Stream(9, shared=True, fails=4), batch_size=2, num_workers=2)),
    "error in worker_init_fn": lambda: until_error(D.DataLoader(
        Set(), batch_size=6, num_workers=1, worker_init_fn=failing_init))[:1],
    "unequal": lambda: until_error(D.DataLoader(Set(lambda i: [0] * (i % 2 + 1)), batch_size=6, num_workers=1)),
    "timeout": lambda: until_death(D.DataLoader(Set(lambda i: time.sleep(1)), num_workers=1, timeout=0.3)),
    "unpicklable for spawn": lambda: until_death(D.DataLoader(
        Set(), num_workers=1, multiprocessing_context="spawn", collate_fn=lambda b: b)),
    "pickling an iterator": lambda: described_call(lambda: pickle.dumps(iter(D.DataLoader(Set(), num_workers=1)))),
}

# What torch says of these depends on which of its pipes notices first.
DEATHS = {
    "exit": lambda: until_death(D.DataLoader(Set(dying(lambda: os._exit(3))), num_workers=1)),
    "killed": lambda: until_death(D.DataLoader(Set(dying(lambda: os.kill(os.getpid(), signal.SIGKILL))), num_workers=2)),
    "killed, persistent": lambda: until_death(D.DataLoader(
        Set(dying(lambda: os.kill(os.getpid(), signal.SIGKILL))), num_workers=2, persistent_workers=True)),
    "killed in a stream": lambda: until_death(D.DataLoader(
        Stream(9), num_workers=1, worker_init_fn=lambda i: os.kill(os.getpid(), signal.SIGKILL))),
}


def local_error(i):
    """An exception that no other process can find."""
    class Local(Exception):
        """Not at the top of a module."""
    raise Local(f"sample {i}")


def alive(workers) -> int:
    """How many of these processes run. (Others may: the collector may be ending those of an earlier pass in another thread.)"""
    return sum(worker.is_alive() for worker in workers)


def dropped():
    """A pass that nobody finishes, nor keeps."""
    batches = iter(D.DataLoader(Set(), num_workers=2))
    next(batches)
    workers = batches._workers
    before = alive(workers)
    del batches
    gc.collect()
    return before > 0, alive(workers)


def finished():
    """A pass to its end."""
    batches = iter(D.DataLoader(Set(), num_workers=2))
    collections.deque(batches, maxlen=0)
    return alive(batches._workers)


def interrupted():
    """Ctrl-C while the main process waits."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background processes ignore it
    if os.getpgrp() != os.getpid():
        os.setpgid(0, 0)
    batches = iter(D.DataLoader(Set(lambda i: time.sleep(20)), num_workers=2))
    workers = batches._workers
    threading.Timer(0.5, lambda: os.killpg(0, signal.SIGINT)).start()
    try:
        next(batches)
    except KeyboardInterrupt:
        del batches
        gc.collect()
        return "interrupted", alive(workers)


def trained():
    """The workers see the weights of when they were forked, though the main process overwrites them."""
    w = t.nn.Parameter(t.ones(2))
    optimizer = t.optim.SGD([w], lr=0.5)
    found = []
    for x in D.DataLoader(Set(lambda i: (w.detach() * i, (w * w).sum().item())), batch_size=2, num_workers=2):
        optimizer.zero_grad()
        w.sum().backward()
        optimizer.step()
        found.append((x[0][:, 0].tolist(), x[1].tolist(), w[0].item()))
    return found


def gradient(i):
    """Of a product of three, and what it is at an element that was written."""
    x = X[i].clone().requires_grad_()
    y = x * 1
    y[0] = 5.0
    return t.autograd.grad((x * x * y).sum(), x)[0]


def large():
    """Results of many megabytes."""
    dataset = Set(lambda i: (t.full((1000, 500), float(i)), np.full((700, 500), i)))
    return [(float(a.sum()), int(b.sum())) for a, b in D.DataLoader(dataset, batch_size=2, num_workers=2)]


def nested_threads():
    """A worker whose data set computes in threads."""
    def function(i):
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            return sum(pool.map(lambda k: (X[k] * i).sum().item(), range(6)))
    return [batch.tolist() for batch in load(Set(function), batch_size=6)[0]]


OURS = {
    **DEATHS,
    "cannot be pickled": lambda: until_error(D.DataLoader(Set(lambda i: local_error), collate_fn=lambda b: lambda: b,
                                                          batch_size=6, num_workers=1)),
    "local exception": lambda: until_error(D.DataLoader(Set(local_error), batch_size=6, num_workers=1)),
    "dropped": dropped,
    "finished": finished,
    "interrupted": interrupted,
    "trained": trained,
    "gradient": lambda: [batch.tolist() for batch in load(Set(gradient), batch_size=6)[0]],
    "large": large,
    "threads": nested_threads,
    "torch.func": lambda: until_error(D.DataLoader(
        Set(lambda i: t.func.grad(t.sin)(t.ones(()))), batch_size=12, num_workers=1)),
    "no prefetching": lambda: described_call(lambda: iter(D.DataLoader([1], num_workers=1, prefetch_factor=0))),
    "inside of a worker": lambda: until_error(D.DataLoader(
        Set(lambda i: list(D.DataLoader([1], num_workers=1))), batch_size=12, num_workers=1)),
}
SPAWNED = {
    "spawn": lambda: load(D.TensorDataset(X, X * 2), batch_size=6, multiprocessing_context="spawn", num_workers=1),
    "forkserver": lambda: load(Set(), batch_size=6, multiprocessing_context="forkserver", num_workers=1, collate_fn=doubled),
}


def doubled(batch):
    """Computes."""
    return t.tensor(batch) * 2


def failing_init(worker_id):
    """Raises in the worker."""
    raise RuntimeError(f"no worker {worker_id}")


def until_death(loader):
    """The first error; how many batches come before it is not determined."""
    return described_call(lambda: list(loader))


def described_call(function):
    """The error that a call raises."""
    try:
        function()
    except Exception as error:  # noqa: BLE001 - compared
        return described(error)
    return None


def run(function) -> dict:
    """What a program returns, the warnings, and the random state after it."""
    from compat import compare
    from tests.utils.data.checks import FACTS

    t.manual_seed(11)
    random.seed(11)
    np.random.seed(11)
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        try:
            value = compare.describe(function(), *FACTS, types=True)
        except Exception:  # noqa: BLE001 - told
            value = ("raised", traceback.format_exc())
    told = [(w.category.__name__, re.sub(r"object at 0x\w+", "", str(w.message))) for w in given]
    return {"value": value, "warnings": told, "state": t.get_rng_state().tolist()}


def main():
    """Run all programs that were asked for and write what they gave."""
    found = {}
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    for name in sys.argv[3:] or PROGRAMS:
        signal.alarm(LIMIT)
        start = time.monotonic()
        try:
            found[name] = run({**PROGRAMS, **OURS, **SPAWNED}[name])
        except KeyboardInterrupt:
            found[name] = f"hangs:\n{traceback.format_exc()}"
        signal.alarm(0)
        print(f"{name}: {time.monotonic() - start:.2f}", flush=True)
    with open(sys.argv[2], "wb") as file:
        pickle.dump(found, file)


if __name__ == "__main__":
    main()
